<?php

declare(strict_types=1);

require __DIR__ . '/../src/page.php';

FrankenShare\Demo\beginPage('explorer', 'What the table holds', 'Values keep their type and every bit: what one thread stores, every other reads back as the same value.');
?>
    <section class="panel" aria-labelledby="keys-title">
        <div class="heading">
            <h2 id="keys-title">Keys</h2>
            <div class="actions">
                <button type="button" id="add" class="primary">Add a key</button>
                <button type="button" id="samples" class="quiet">Add samples</button>
            </div>
        </div>
        <form id="search" role="search">
            <label for="prefix">Keys that begin with</label>
            <input id="prefix" type="search" maxlength="1000" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="sample:">
        </form>
        <p id="found" class="source" role="status">Reading the keys.</p>
        <table id="keys">
            <thead><tr><th scope="col">Key</th><th scope="col">Type</th><th scope="col">Value</th><th scope="col">Size</th><th scope="col"><span class="visually-hidden">Actions</span></th></tr></thead>
            <tbody></tbody>
        </table>
    </section>

    <dialog id="editor" aria-labelledby="editor-title">
        <form id="edit">
            <h2 id="editor-title">Add a key</h2>
            <p id="editor-problem" class="problem" role="alert" hidden></p>
            <label for="key">Key</label>
            <input id="key" autocomplete="off" autocapitalize="off" spellcheck="false">
            <label for="type">Type</label>
            <select id="type">
                <option value="string">string</option>
                <option value="binary">string with escapes</option>
                <option value="int">int</option>
                <option value="float">float</option>
                <option value="bool">bool</option>
                <option value="null">null</option>
                <option value="array">array, as JSON</option>
                <option value="enum" hidden>enum</option>
                <option value="object" hidden>object</option>
                <option value="unreadable" hidden>unreadable</option>
            </select>
            <label for="text">Value</label>
            <textarea id="text" rows="7" spellcheck="false" aria-describedby="hint"></textarea>
            <p id="hint" class="source"></p>
            <div class="actions">
                <button type="submit" id="store" class="primary">Store</button>
                <button type="button" id="cancel">Cancel</button>
            </div>
        </form>
    </dialog>

    <dialog id="removal" aria-labelledby="removal-title">
        <form id="remove">
            <h2 id="removal-title">Delete this key?</h2>
            <p><code id="removal-key"></code></p>
            <p id="removal-problem" class="problem" role="alert" hidden></p>
            <div class="actions">
                <button type="submit" id="removal-yes" class="primary">Delete</button>
                <button type="button" id="removal-no">Keep it</button>
            </div>
        </form>
    </dialog>
<?php FrankenShare\Demo\endPage();
