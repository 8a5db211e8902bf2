<?php

// Classic mode: one script per request.

require __DIR__ . '/scenarios/dispatch.php';

dispatch();
