<?php

declare(strict_types=1);

// Worker mode: this script stays in memory and answers the requests under /worker/ one after another.

require __DIR__ . '/../src/Endpoint.php';

ignore_user_abort(true);

$endpoint = new FrankenShare\Demo\Endpoint('worker');

do {
    $running = frankenphp_handle_request($endpoint->answer(...));
    gc_collect_cycles();
} while ($running);
