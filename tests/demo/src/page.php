<?php

declare(strict_types=1);

namespace FrankenShare\Demo;

/** Sends the headers and prints what every page begins with, up to its title. */
function beginPage(string $current, string $title, string $lede): void
{
    $pages = ['index' => ['./', 'Dashboard'], 'explorer' => ['explorer.php', 'Explorer'], 'sharing' => ['sharing.php', 'Sharing']];
    header('Content-Type: text/html; charset=utf-8');
    header('Cache-Control: no-store');
    header("Content-Security-Policy: default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'");
    header('X-Content-Type-Options: nosniff');
    ?>
<!doctype html>
<html lang="en">
<head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title><?= $pages[$current][1] ?> – FrankenShare</title>
    <link rel="icon" href="assets/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="assets/base.css">
    <link rel="stylesheet" href="assets/<?= $current ?>.css">
    <script type="module" src="assets/<?= $current ?>.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
    <p class="brand">Franken<b>Share</b></p>
    <nav aria-label="Pages">
        <ul>
            <?php foreach ($pages as $page => [$address, $name]) : ?>
            <li><a href="<?= $address ?>"<?= $page === $current ? ' aria-current="page"' : '' ?>><?= $name ?></a></li>
            <?php endforeach ?>
        </ul>
    </nav>
</header>
<main id="main" tabindex="-1">
    <h1><?= $title ?></h1>
    <p class="lede"><?= $lede ?></p>
    <p id="problem" class="problem" role="alert" hidden></p>
    <noscript><p class="problem">This page needs JavaScript.</p></noscript>
    <?php
}

function endPage(): void
{
    ?>
</main>
</body>
</html>
    <?php
}
