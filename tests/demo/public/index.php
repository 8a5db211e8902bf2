<?php

declare(strict_types=1);

require __DIR__ . '/../src/Endpoint.php';

use FrankenPHP\SharedState\SharedStateException;
use FrankenShare\Demo\Endpoint;

$endpoint = new Endpoint('classic');
$error = '';
$state = [];
try {
    $state = $endpoint->state();
} catch (SharedStateException $e) {
    $error = 'The shared state is not available: ' . $e->getMessage();
}
$lanes = [
    'classic' => ['Classic', 'PHP starts for each request and forgets all but the table.'],
    'worker' => ['Worker', 'The script stays in memory and answers one request after another.'],
];
$text = static fn (string|int $value): string => htmlspecialchars((string) $value, ENT_QUOTES);
$number = static fn (int $value): string => number_format($value);

header('Content-Type: text/html; charset=utf-8');
header('Cache-Control: no-store');
header("Content-Security-Policy: default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'");
?>
<!doctype html>
<html lang="en">
<head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>FrankenShare: one $state for every thread</title>
    <link rel="icon" href="assets/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="assets/style.css">
    <script type="application/json" id="state"><?= json_encode($state, JSON_HEX_TAG | JSON_HEX_AMP | JSON_THROW_ON_ERROR) ?></script>
    <script type="module" src="assets/app.js"></script>
</head>
<body>
<a class="skip" href="#counter">Skip to the counter</a>

<header class="top">
    <p class="brand">Franken<b>Share</b></p>
    <p class="origin">Page made by classic thread <?= $text($endpoint->origin()['thread']) ?></p>
</header>

<main>
    <h1>One <code>$state</code> for every thread</h1>
    <p class="lede">Classic requests, workers and Go code of this server read and write the same table in memory.</p>

    <p id="problem" class="problem" role="alert"<?= $error === '' ? ' hidden' : '' ?>><?= $text($error) ?></p>
    <noscript><p class="problem">The figures below are those of the moment this page was made: without JavaScript they stand still.</p></noscript>

    <section class="panel counter" aria-labelledby="counter-title">
        <h2 id="counter-title">The counter</h2>
        <div class="lanes">
            <div class="middle">
                <output id="counter" class="total" tabindex="-1" aria-live="polite" aria-label="Counter"><?= $number($state['counter'] ?? 0) ?></output>
                <p class="key"><code>$state->increment('demo:counter')</code></p>
                <div class="share" aria-hidden="true"><i class="classic"></i><i class="worker"></i></div>
                <form id="count" class="actions">
                    <button type="button" id="pair" class="primary">Count from both</button>
                    <span class="burst">
                        <label>Requests
                            <select id="requests"><option>20</option><option selected>100</option><option>500</option></select></label>
                        <button type="submit" id="burst">Send in parallel</button>
                    </span>
                    <button type="button" id="reset" class="quiet">Back to zero</button>
                </form>
                <div class="outcome">
                    <progress id="progress" max="1" value="0" hidden aria-label="Requests answered"></progress>
                    <div id="verdict" class="verdict" role="status">
                        <p>“Count from both” sends one request to each mode at the same moment.</p>
                        <p>“Send in parallel” sends many, half to each mode, and each of them counts 1,000 times, one by one.</p>
                    </div>
                </div>
            </div>
            <?php foreach ($lanes as $mode => [$name, $note]) : ?>
            <article class="lane <?= $mode ?>" data-mode="<?= $mode ?>" aria-labelledby="<?= $mode ?>-title">
                <h3 id="<?= $mode ?>-title"><?= $name ?></h3>
                <p class="note"><?= $note ?></p>
                <p class="figure"><span data-field="requests"><?= $number($state['modes'][$mode] ?? 0) ?></span><small>answered</small></p>
                <dl>
                    <div><dt>Last answer from thread</dt><dd data-field="thread">–</dd></div>
                    <div><dt>Its request number</dt><dd data-field="served">–</dd></div>
                    <div><dt>It counted</dt><dd data-field="range">–</dd></div>
                </dl>
            </article>
            <?php endforeach ?>
        </div>
    </section>

    <section class="panel" aria-labelledby="go-title">
        <div class="heading">
            <h2 id="go-title">Pushed by Go, every second</h2>
            <button type="button" id="pause" class="quiet" aria-pressed="false">Pause</button>
        </div>
        <p class="source" id="source">Go writes the keys <code>server:*</code>; PHP reads them with <code>$state->scan('server:')</code>.</p>
        <dl class="tiles" id="tiles"></dl>
    </section>

    <div class="columns">
        <section class="panel" aria-labelledby="threads-title">
            <h2 id="threads-title">Threads that counted</h2>
            <table id="threads">
                <thead><tr><th scope="col">Thread</th><th scope="col">Mode</th><th scope="col">Requests</th></tr></thead>
                <tbody><tr><td colspan="3">None yet.</td></tr></tbody>
            </table>
        </section>

        <section class="panel" aria-labelledby="code-title">
            <h2 id="code-title">All there is to it</h2>
            <h3>PHP, on any thread</h3>
            <pre tabindex="0" aria-label="PHP code"><code>$state = new FrankenPHP\SharedArray();
$state->increment('demo:counter');
echo $state['server:uptime'];</code></pre>
            <h3>Go, in the same process</h3>
            <pre tabindex="0" aria-label="Go code"><code>table, err := phpbridge.Store().
    Table("default")
err = table.Set("server:uptime",
    sharedstate.Int(42))</code></pre>
        </section>
    </div>
</main>
</body>
</html>
