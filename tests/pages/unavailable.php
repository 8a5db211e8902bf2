<?php

// What opening the store throws where it cannot be opened.

try {
	new FrankenPHP\SharedArray();
	echo json_encode(['nothing was thrown', '']);
} catch (Throwable $e) {
	echo json_encode([$e::class, $e->getMessage()]);
}
