<?php

// Prints what the scenario answers on the real array or on the fake: php run.php real|fake

require __DIR__ . '/scenario.php';

date_default_timezone_set('UTC');
if ($argv[1] === 'real') {
    $lines = scenario(new FrankenPHP\SharedArray(), fn (float $seconds) => usleep((int) ($seconds * 1e6)));
} else {
    spl_autoload_register(function (string $class): void {
        require __DIR__ . '/../src/' . strtr(substr($class, strlen('FrankenShare\\')), '\\', '/') . '.php';
    });
    $fake = new FrankenShare\Testing\ArraySharedArray();
    $lines = scenario($fake, $fake->advance(...));
}
echo implode("\n", $lines), "\n";
