#!/usr/bin/env node
// Clicks through the demo in headless Chromium, on a phone and on a desk, and checks what the page says.
//
//   node tests/demo/browser.mjs http://localhost:8080/ [folder for screenshots]
//
// CHROMIUM names the browser's binary. Speaks the DevTools protocol over a pipe, so it needs nothing but Node.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [url, screenshots] = process.argv.slice(2);
assert(url, 'usage: browser.mjs URL [folder for screenshots]');

const views = [
  { name: 'phone-light', width: 390, height: 844, scheme: 'light' },
  { name: 'phone-dark', width: 390, height: 844, scheme: 'dark' },
  { name: 'desk-light', width: 1440, height: 900, scheme: 'light' },
  { name: 'desk-dark', width: 1440, height: 900, scheme: 'dark' },
];

/** A browser behind a pipe: send() a command, or wait for what the page throws or logs as an error. */
class Browser {
  #next = 0;
  #pending = new Map();
  #tail = '';
  errors = [];

  constructor(profile) {
    const flags = [
      '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--hide-scrollbars', '--remote-debugging-pipe', `--user-data-dir=${profile}`,
    ];
    this.process = spawn(process.env.CHROMIUM ?? 'chromium', flags, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    this.exit = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.once('error', (error) => this.#fail(error));
    this.process.once('exit', (code) => this.#fail(new Error(`the browser ended with status ${code}`)));
    this.process.stdio[4].on('data', (data) => this.#receive(data));
  }

  send(method, params = {}) {
    const id = ++this.#next;
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: this.session })}\0`);
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
  }

  async open() {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    this.session = (await this.send('Target.attachToTarget', { targetId, flatten: true })).sessionId;
    await Promise.all(['Page', 'Runtime', 'Log'].map((domain) => this.send(`${domain}.enable`)));
  }

  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    assert(!exceptionDetails, `${expression}: ${exceptionDetails?.exception?.description}`);
    return result.value;
  }

  /** Waits until the expression is true in the page, then gives its value. */
  async until(what, expression) {
    for (let i = 0; i < 150; i++) {
      const value = await this.evaluate(expression);
      if (value) return value;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.fail(`${what}: not seen in 15 seconds; the page says: ${await this.evaluate('document.body.innerText')}`);
  }

  #receive(data) {
    const messages = (this.#tail + data).split('\0');
    this.#tail = messages.pop();
    for (const { id, method, params, result, error } of messages.map((message) => JSON.parse(message))) {
      if (method === 'Runtime.exceptionThrown') this.errors.push(params.exceptionDetails.exception?.description);
      if (method === 'Log.entryAdded' && params.entry.level === 'error') this.errors.push(`${params.entry.text} ${params.entry.url ?? ''}`);
      if (id === undefined) continue;
      const { resolve, reject } = this.#pending.get(id);
      this.#pending.delete(id);
      if (error) reject(new Error(error.message));
      else resolve(result);
    }
  }

  #fail(error) {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}

const counter = "Number(document.getElementById('counter').textContent.replaceAll(',', ''))";
const verdict = "document.getElementById('verdict').innerText";
const click = (id) => `document.getElementById('${id}').click()`;

async function check(browser, view) {
  const { width, height } = view;
  await browser.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 });
  await browser.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: view.scheme }] });
  await browser.send('Page.navigate', { url });
  await browser.until('the page', "document.readyState === 'complete'");

  const push = "Number(document.getElementById('source').textContent.match(/^Push ([\\d,]+), read by/)?.[1].replaceAll(',', ''))";
  const pushed = await browser.until('a value pushed by Go', push);
  await browser.until('the next push', `${push} > ${pushed}`);

  await browser.evaluate(click('reset'));
  await browser.until('the counter at zero', `${counter} === 0`);

  await browser.evaluate(click('pair'));
  const pair = await browser.until('one answer from each mode', `${verdict}.match(/(classic|worker) thread (\\d+) made it 1, (classic|worker) thread (\\d+) made it 2/)`);
  assert.deepEqual([pair[1], pair[3]].sort(), ['classic', 'worker']);
  assert.notEqual(pair[2], pair[4], 'both requests ran on one thread');

  await browser.evaluate(click('burst'));
  const told = await browser.until('the verdict on 100 requests', `${verdict}.includes('100') && ${verdict}`);
  assert.match(told, /^2 \+ 100 × 1,000 = 100,002: exact\./);
  assert.equal(await browser.evaluate(counter), 100_002);

  assert.equal(await browser.evaluate('document.documentElement.scrollWidth'), width, `${view.name} scrolls sideways`);
  assert.equal(await browser.evaluate("document.getElementById('problem').hidden"), true);
  assert.deepEqual(browser.errors, []);
  if (screenshots) {
    await browser.until('a chart with a few values', "document.querySelector('#tiles .line').getAttribute('d').split('L').length > 4");
    const { data } = await browser.send('Page.captureScreenshot', { captureBeyondViewport: true });
    await writeFile(join(screenshots, `${view.name}.png`), Buffer.from(data, 'base64'));
  }
  console.log(`${view.name}: ${told.replaceAll('\n', ' ')}`);
}

const profile = await mkdtemp(join(tmpdir(), 'demo-browser-'));
if (screenshots) await mkdir(screenshots, { recursive: true });
const browser = new Browser(profile);
try {
  await browser.open();
  for (const view of views) await check(browser, view);
  await browser.send('Browser.close').catch(() => {});
} finally {
  browser.process.kill();
  await browser.exit;
  await rm(profile, { recursive: true, force: true, maxRetries: 5 });
}
