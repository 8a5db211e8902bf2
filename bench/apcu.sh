#!/usr/bin/env bash
# Prints the path of an APCu for the PHP of scripts/php.sh.
exec "$(dirname "$0")/../scripts/php-extension.sh" apcu php-apcu 'apcu-5*' --enable-apcu
