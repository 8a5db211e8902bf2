<?php

declare(strict_types=1);

require __DIR__ . '/../src/page.php';

FrankenShare\Demo\beginPage('index', 'Go pushes, PHP reads', 'Every second Go code of this server writes these figures into the shared table, in one step. PHP reads them like any other key.');
?>
    <section class="panel" aria-labelledby="figures-title">
        <div class="heading">
            <h2 id="figures-title">The last minute</h2>
            <button type="button" id="pause" class="quiet" aria-pressed="false">Pause</button>
        </div>
        <p class="source" id="source">Waiting for the first figures.</p>
        <dl class="tiles" id="tiles"></dl>
    </section>

    <section class="panel" aria-labelledby="threads-title">
        <h2 id="threads-title">Reads of each PHP thread</h2>
        <p class="source">A hit was answered from the thread's own cache, without a look at the table: the value had not changed.</p>
        <div class="wide">
            <table id="threads">
                <thead><tr><th scope="col">Thread</th><th scope="col" class="number">Hits</th><th scope="col" class="number">Table reads</th><th scope="col" class="number">Locked</th><th scope="col">Share of hits</th></tr></thead>
                <tbody></tbody>
            </table>
        </div>
        <form id="reads" class="actions">
            <button type="submit">Read 10 figures 1,000 times, in 24 requests</button>
            <span id="reads-done" role="status"></span>
        </form>
    </section>

    <section class="panel code" aria-labelledby="code-title">
        <h2 id="code-title">All there is to it</h2>
        <figure>
            <figcaption>Go, in the same process</figcaption>
            <pre tabindex="0" aria-label="Go code"><code>table, err := phpbridge.Store().
    Table("default")
err = table.Set("server:uptime",
    sharedstate.Int(42))</code></pre>
        </figure>
        <figure>
            <figcaption>PHP, on any thread</figcaption>
            <pre tabindex="0" aria-label="PHP code"><code>$state = new FrankenPHP\SharedArray();
echo $state['server:uptime'];</code></pre>
        </figure>
    </section>
<?php FrankenShare\Demo\endPage();
