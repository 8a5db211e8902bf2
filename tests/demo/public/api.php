<?php

declare(strict_types=1);

// Classic mode: PHP starts, answers this one request and forgets everything but the shared table.

require __DIR__ . '/../src/Endpoint.php';

(new FrankenShare\Demo\Endpoint('classic'))->answer();
