<?php

// A worker script that runs on one thread only, so that any two of its requests follow each other there.

require __DIR__ . '/worker.php';
