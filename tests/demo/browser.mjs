#!/usr/bin/env node
// Clicks through the demo's pages in headless Chromium, on a phone and on a desk, light and dark, and checks what they say.
// An error in the console is a failure.
//
//   node tests/demo/browser.mjs http://localhost:8080/ [folder for screenshots]
//
// CHROMIUM names the browser's binary.
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Chromium } from './chromium.mjs';

const [url, screenshots] = process.argv.slice(2);
assert(url, 'usage: browser.mjs URL [folder for screenshots]');

const views = [
  { name: 'phone-light', width: 390, height: 844, scheme: 'light' },
  { name: 'phone-dark', width: 390, height: 844, scheme: 'dark' },
  { name: 'desk-light', width: 1440, height: 900, scheme: 'light' },
  { name: 'desk-dark', width: 1440, height: 900, scheme: 'dark' },
];

const text = (selector) => `document.querySelector(${JSON.stringify(selector)})?.innerText`;
const number = (selector) => `Number(${text(selector)}.replaceAll(',', ''))`;
const click = (selector) => browser.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
const until = (what, expression) => browser.until(what, expression);
const is = async (expected, expression) => assert.deepEqual(await browser.evaluate(expression), expected, expression);
const choose = (id, value) =>
  browser.evaluate(`{
    const field = document.getElementById('${id}');
    field.value = ${value};
    field.dispatchEvent(new Event('input', { bubbles: true }));
    field.dispatchEvent(new Event('change', { bubbles: true }));
  }`);
const write = (id, value) => choose(id, JSON.stringify(value));

async function dashboard() {
  await browser.open(url, "document.querySelectorAll('#tiles > div').length === 8");
  const push = `Number(${text('#source')}.match(/^Push ([\\d,]+), read by (classic|worker) thread \\d+\\.$/)?.[1].replaceAll(',', ''))`;
  const first = await until('a push', push);
  await until('the next push', `${push} > ${first}`);
  await until('a push read by each mode', `${text('#source')}.includes('worker')`);
  await until('a push read by each mode', `${text('#source')}.includes('classic')`);
  await until('charts of some values', "[...document.querySelectorAll('#tiles .line')].every((line) => line.getAttribute('d').split('L').length > 4)");
  await until('a figure in each tile', "[...document.querySelectorAll('#tiles .figure')].every((figure) => /\\d/.test(figure.textContent))");
  await until('a row for each of at least 8 threads', "document.querySelectorAll('#threads tbody tr').length >= 8");

  const hits = "[...document.querySelectorAll('#threads tbody td:nth-child(2)')].reduce((sum, cell) => sum + Number(cell.textContent.replaceAll(',', '')), 0)";
  const before = await browser.evaluate(hits);
  await click('#reads button');
  const [, threads] = await until('the reads are done', `${text('#reads-done')}.match(/^240,000 reads on (\\d+) threads\\.$/)`);
  assert(Number(threads) >= 2, `${threads} thread answered 24 parallel requests`);
  await until('the threads have more hits', `${hits} - ${before} > 100_000`);

  await click('#pause');
  await is('true', "document.getElementById('pause').getAttribute('aria-pressed')");
  await click('#pause');
}

/** Waits for the row of a key, with this type, value and size if they are given, and answers what it has. */
const row = (name, ...expected) =>
  until(`the key ${name} ${expected}`, `(() => {
    const row = [...document.querySelectorAll('#keys tbody tr')].find((row) => row.cells[0].innerText === ${JSON.stringify(name)});
    const cells = row && [...row.cells].slice(1, 4).map((cell) => cell.innerText);
    return ${JSON.stringify(expected)}.every((text, i) => cells?.[i] === text) && cells;
  })()`);
const press = (action, name) => click(`#keys button[aria-label=${JSON.stringify(`${action} ${name}`)}]`);
const opened = (id) => until(`the dialog ${id} is open`, `document.getElementById('${id}').open`);
const closed = (id) => until(`the dialog ${id} is closed`, `!document.getElementById('${id}').open`);

async function explorer() {
  await browser.open(`${url}explorer.php`, `/^[\\d,]+ of [\\d,]+ keys/.test(${text('#found')})`);
  await click('#samples');
  await write('prefix', 'sample:');
  await until('the search finds the samples', `/^14 of [\\d,]+ keys\\.$/.test(${text('#found')}) && document.querySelectorAll('#keys tbody tr').length === 14`);
  await row('sample:null', 'null', 'null', '');
  await row('sample:bool', 'bool', 'true', '');
  await row('sample:int', 'int', '9223372036854775807', '8 bytes');
  await row('sample:float:zero', 'float', '-0.0', '8 bytes');
  await row('sample:float:infinite', 'float', 'INF', '8 bytes');
  await row('sample:string', 'string', 'Grüße, Ελλάδα', '21 bytes');
  await row('sample:string:binary', 'binary', 'PNG\\x89\\x00\\xFF\\n\\\\', '8 bytes');
  await row('sample:array', 'array', '{ "name": "Ada", "born": 1815, "languages": [ "en", "fr" ], "ratio": 1.0 }', '4 entries');
  await row('sample:enum', 'enum', 'FrankenShare\\Demo\\Suit::Spades', '');
  assert.equal((await row('sample:object'))[0], 'object');
  await row('sample:key:binary\\x00\\xFE');
  assert.match((await row('sample:string:markup'))[1], /^<script>.*onerror/);
  await is(0, "document.querySelectorAll('main :is(script, img)').length");
  await is('Explorer – FrankenShare', 'document.title');
  await picture('explorer');

  // What cannot be edited says why; the markup stays text in the editor too.
  for (const [name, why] of [['sample:object', 'has its class'], ['sample:enum', 'has the enum'], ['sample:array:mixed', 'what JSON cannot']]) {
    await press('View', name);
    await opened('editor');
    await is(true, "document.getElementById('text').readOnly && document.getElementById('store').hidden");
    assert.match(await browser.evaluate(text('#hint')), new RegExp(why));
    await browser.press('Escape');
    await closed('editor');
  }

  await addByKeyboard();
  await write('prefix', 'click:');
  await row('click:key');
  for (const [type, input, value, size, as] of [
    ['int', '-42', '-42', '8 bytes'],
    ['float', '1e3', '1000.0', '8 bytes'],
    ['float', 'NAN', 'NAN', '8 bytes'],
    ['bool', 'false', 'false', ''],
    ['null', '', 'null', ''],
    ['binary', 'a\\x00\\xff\\\\', 'a\\x00\\xFF\\\\', '4 bytes'],
    ['array', '{"a": [1, 2.0, null]}', '{ "a": [ 1, 2.0, null ] }', '1 entry'],
    ['string', '<b>&amp;</b>', '<b>&amp;</b>', '12 bytes'],
    ['binary', 'plain', 'plain', '5 bytes', 'string'],
  ]) {
    await press('Edit', 'click:key');
    await opened('editor');
    await write('type', type);
    await write('text', input);
    await click('#store');
    await closed('editor');
    await row('click:key', as ?? type, value, size);
  }

  await refusals();

  await press('Delete', 'click:key');
  await opened('removal');
  await click('#removal-no');
  await closed('removal');
  await row('click:key');
  await press('Delete', 'click:key');
  await opened('removal');
  await click('#removal-yes');
  await closed('removal');
  await until('the key is gone', `/^0 of /.test(${text('#found')}) && document.querySelectorAll('#keys tbody tr').length === 0`);
}

/** Adds click:key without a mouse. */
async function addByKeyboard() {
  await browser.evaluate('document.activeElement.blur()');
  await browser.evaluate("document.getElementById('main').focus()");
  for (let i = 0; i < 10 && (await browser.evaluate('document.activeElement.id')) !== 'add'; i++) await browser.press('Tab');
  await is('add', 'document.activeElement.id');
  await browser.press('Enter');
  await opened('editor');
  await is('key', 'document.activeElement.id');
  await browser.type('click:key');
  await browser.press('Tab');
  await browser.press('Tab');
  await is('text', 'document.activeElement.id');
  await browser.type('typed');
  await browser.press('Tab');
  await browser.press('Enter');
  await closed('editor');
}

/** What cannot be stored is refused in words that name the reason, and the old value stands. */
async function refusals() {
  const big = '"x".repeat((1 << 20) + 1)';
  for (const [type, value, status, says] of [
    ['int', '"12x"', 400, /no int: write a whole number from -9223372036854775808 to/],
    ['float', '"one"', 400, /no float/],
    ['bool', '"yes"', 400, /true or false/],
    ['binary', '"\\\\q"', 400, /“\\q” is no escape/],
    ['array', '"{"', 400, /no JSON: Syntax error/],
    ['array', '"3"', 400, /no array/],
    ['string', big, 413, /too large: .*1048577 bytes.*1048576/],
  ]) {
    await press('Edit', 'click:key');
    await opened('editor');
    await write('type', type);
    await choose('text', value);
    await click('#store');
    assert.match(await until('why it is refused', text('#editor-problem')), says);
    await browser.refused(status);
    if (status === 413) await picture('editor', false);
    await click('#cancel');
    await closed('editor');
  }
  for (const [key, status, says] of [
    ['"click:key"', 409, /such a key already/],
    ['"k".repeat(65537)', 400, /key cannot be used: .*65537.*65536/],
  ]) {
    await click('#add');
    await opened('editor');
    await choose('key', key);
    await click('#store');
    assert.match(await until('why it is refused', text('#editor-problem')), says);
    await browser.refused(status);
    await click('#cancel');
    await closed('editor');
  }
  await row('click:key', 'string', 'plain', '5 bytes');
}

async function sharing() {
  await browser.open(`${url}sharing.php`, `/^[\\d,]+$/.test(${text('#counter')})`);
  await click('#reset');
  await until('the counter at zero', `${number('#counter')} === 0 && ${text('#verdict')}.includes('from zero')`);

  await click('#each');
  const each = await until('one answer from each', `${text('#verdict')}.match(/^(.+) made it 1, (.+) made it 2, (.+) made it 3\\.$/)`);
  assert.deepEqual(each.slice(1).map((who) => who.toLowerCase().replace(/ \d+$/, '')).sort(), ['classic thread', 'go', 'worker thread']);
  await is(['3', '3', '3'], "[...document.querySelectorAll('[data-field=counter]')].map((field) => field.innerText)");

  await click('#burst');
  const told = await until('the verdict on 100 requests', `${text('#verdict')}.includes('100 ×') && ${text('#verdict')}`);
  assert.match(told, /^3 \+ 100 × 1,000 = 100,003: exact\./);
  const [, classic, worker, go] = told.match(/(\d+) classic threads, (\d+) worker threads, and (\d+) times by Go/).map(Number);
  assert(classic >= 1 && worker >= 1 && go === 33, told);
  await is(100_003, number('#counter'));
  await is(['100,003', '100,003', '100,003'], "[...document.querySelectorAll('[data-field=counter]')].map((field) => field.innerText)");
  // One row for each thread; all requests are in them: 3, then 100.
  await is(103, "[...document.querySelectorAll('#threads .bar')].reduce((sum, cell) => sum + Number(cell.innerText), 0)");
  console.log(`  ${told.replaceAll('\n', ' ')}`);
}

/** What holds for every page. */
async function sound(view) {
  assert(await browser.evaluate('document.documentElement.scrollWidth') <= view.width, 'the page scrolls sideways');
  await until('no problem is shown', "document.getElementById('problem').hidden");
  await is([], "[...document.querySelectorAll('button, input, select, textarea, progress, output')].filter((e) => !(e.labels?.length || e.getAttribute('aria-label') || e.innerText?.trim() || !e.checkVisibility())).map((e) => e.outerHTML)");
  await is(1, "document.querySelectorAll('h1').length");
  assert.deepEqual(browser.errors, []);
}

let shown; // the view in which the pages are shown
async function picture(page, whole) {
  if (screenshots) await browser.screenshot(join(screenshots, `${page}-${shown.name}.png`), whole);
}

if (screenshots) await mkdir(screenshots, { recursive: true });
const browser = await Chromium.start();
try {
  for (const view of views) {
    shown = view;
    console.log(view.name);
    const { width, height } = view;
    await browser.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 });
    await browser.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: view.scheme }] });
    await is(true, `matchMedia('(prefers-color-scheme: ${view.scheme})').matches`);
    for (const page of [dashboard, explorer, sharing]) {
      await page();
      await sound(view);
      if (page !== explorer) await picture(page.name);
    }
  }
} finally {
  await browser.stop();
}
