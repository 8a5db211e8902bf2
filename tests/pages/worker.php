<?php

// Worker mode: one script for many requests.

require __DIR__ . '/scenarios/dispatch.php';

while (frankenphp_handle_request(dispatch(...))) {
	Scenario\Between::run();
}
