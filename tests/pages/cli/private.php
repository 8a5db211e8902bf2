<?php

// A command-line process has a store of its own.

$s = new FrankenPHP\SharedArray();
echo json_encode(['count' => count($s), 'n' => $s->increment('n'), 'store' => $s->stats()['store'], 'table' => $s->stats()['table']]);
