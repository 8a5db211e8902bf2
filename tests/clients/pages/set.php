<?php

// Stores a value in a request of its own.
$shared = new FrankenPHP\SharedArray();
$shared[$_GET['key']] = $_GET['value'];
echo 'stored';
