<?php

declare(strict_types=1);

require __DIR__ . '/../src/page.php';

$lanes = [
    'classic' => ['Classic PHP', 'PHP starts for each request and forgets all but the table.'],
    'worker' => ['Worker PHP', 'The script stays in memory and answers one request after another.'],
    'go' => ['Go', 'Code of the same server, without PHP.'],
];
FrankenShare\Demo\beginPage('sharing', 'One counter for all', 'Classic requests, workers and Go read and move the same number in memory, at the same time.');
?>
    <section class="panel counter" aria-labelledby="counter-title">
        <h2 id="counter-title" class="visually-hidden">The counter</h2>
        <output id="counter" class="total" aria-label="Counter">–</output>
        <p class="key"><code>$state->increment('demo:counter')</code></p>
        <form id="count" class="actions">
            <button type="button" id="each" class="primary">Count once from each</button>
            <span class="burst">
                <label>Requests <select id="requests"><option>20</option><option selected>100</option><option>500</option></select></label>
                <button type="submit" id="burst">Send in parallel</button>
            </span>
            <button type="button" id="reset" class="quiet">Back to zero</button>
        </form>
        <progress id="progress" max="1" value="0" aria-label="Requests answered"></progress>
        <div id="verdict" class="verdict" role="status">
            <p>“Count once from each” sends three requests at the same moment.</p>
            <p>“Send in parallel” sends a third to each, and every request counts 1,000 times, one by one.</p>
        </div>
    </section>

    <section class="lanes" aria-label="Who reads and counts">
        <?php foreach ($lanes as $mode => [$name, $note]) : ?>
        <article class="panel lane <?= $mode ?>" data-mode="<?= $mode ?>" aria-labelledby="<?= $mode ?>-title">
            <h2 id="<?= $mode ?>-title"><?= $name ?></h2>
            <p class="note"><?= $note ?></p>
            <dl>
                <div class="reads"><dt>Reads the counter as</dt><dd data-field="counter">–</dd></div>
                <div><dt>Last counted on</dt><dd data-field="thread">–</dd></div>
                <div><dt>Answers of that script</dt><dd data-field="served">–</dd></div>
                <div><dt>It counted</dt><dd data-field="range">–</dd></div>
            </dl>
        </article>
        <?php endforeach ?>
    </section>

    <section class="panel" aria-labelledby="threads-title">
        <h2 id="threads-title">Who counted since zero</h2>
        <table id="threads">
            <thead><tr><th scope="col">Thread</th><th scope="col">Mode</th><th scope="col">Requests</th></tr></thead>
            <tbody><tr><td colspan="3">No one yet.</td></tr></tbody>
        </table>
    </section>
<?php FrankenShare\Demo\endPage();
