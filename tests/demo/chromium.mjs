// A headless Chromium, spoken to by the DevTools protocol over a pipe: it needs nothing but Node.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PATIENCE_MS = 60_000;

const flags = [
  // Chromium's sandbox does not start for root, nor in many containers. Only the demo's own pages are opened.
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync', '--hide-scrollbars',
  '--remote-debugging-pipe',
];

const keys = {
  Tab: { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 },
  Enter: { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' },
  Escape: { key: 'Escape', code: 'Escape', windowsVirtualKeyCode: 27 },
};

export class Chromium {
  #next = 0;
  #pending = new Map();
  #tail = '';
  #stderr = '';

  /** What the page has thrown, or logged as an error, and no one has expected. */
  errors = [];

  static async start() {
    const browser = new Chromium();
    browser.profile = await mkdtemp(join(tmpdir(), 'demo-browser-'));
    browser.process = spawn(process.env.CHROMIUM ?? 'chromium', [...flags, `--user-data-dir=${browser.profile}`], {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    });
    browser.exit = new Promise((resolve) => {
      browser.process.once('exit', resolve);
      browser.process.once('error', resolve);
    });
    browser.process.once('error', (error) => browser.#fail(error));
    browser.process.once('exit', (code) => browser.#fail(new Error(`Chromium ended with status ${code}: ${browser.#stderr}`)));
    browser.process.stderr.on('data', (data) => (browser.#stderr = (browser.#stderr + data).slice(-4000)));
    browser.process.stdio[3].on('error', () => {}); // the exit tells why
    browser.process.stdio[4].setEncoding('utf8').on('data', (data) => browser.#receive(data));
    const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank' });
    browser.session = (await browser.send('Target.attachToTarget', { targetId, flatten: true })).sessionId;
    await Promise.all(['Page', 'Runtime', 'Log'].map((domain) => browser.send(`${domain}.enable`)));
    return browser;
  }

  async stop() {
    this.process.kill();
    await this.exit;
    await rm(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }

  send(method, params = {}) {
    const id = ++this.#next;
    const answer = new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: this.session })}\0`);
    return answer;
  }

  /** Opens an address and waits until its modules have run. */
  async open(address, ready) {
    await this.send('Page.navigate', { url: address });
    await this.until(`${address} is there`, `location.href === ${JSON.stringify(address)} && document.readyState === 'complete' && (${ready})`);
  }

  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    assert(!exceptionDetails, `${expression}: ${exceptionDetails?.exception?.description}`);
    return result.value;
  }

  /** Waits until an expression is true in the page, then gives its value. */
  async until(what, expression) {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      // While one page makes way for the next, there is nothing to evaluate in.
      const value = await this.evaluate(expression).catch((error) => {
        if (Date.now() > deadline) throw error;
      });
      if (value) return value;
      if (Date.now() > deadline) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.fail(`not seen in ${PATIENCE_MS / 1000} seconds: ${what}. The page says: ${await this.evaluate('document.body.innerText')}`);
  }

  /** Waits for the console's word on a request that the server has refused, and takes it out of the errors. */
  async refused(status) {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const i = this.errors.findIndex((error) => error.includes(`status of ${status} `));
      if (i >= 0) return this.errors.splice(i, 1);
      assert(Date.now() < deadline, `no request was refused with status ${status}; errors: ${this.errors.join(', ')}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async press(name, modifiers = 0) {
    await this.send('Input.dispatchKeyEvent', { type: keys[name].text ? 'keyDown' : 'rawKeyDown', modifiers, ...keys[name] });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', modifiers, ...keys[name] });
  }

  type(text) {
    return this.send('Input.insertText', { text });
  }

  async screenshot(file, whole = true) {
    const { data } = await this.send('Page.captureScreenshot', { captureBeyondViewport: whole });
    await writeFile(file, Buffer.from(data, 'base64'));
  }

  #receive(data) {
    const messages = (this.#tail + data).split('\0');
    this.#tail = messages.pop();
    for (const { id, method, params, result, error } of messages.map((message) => JSON.parse(message))) {
      if (method === 'Runtime.exceptionThrown') {
        this.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
      } else if (method === 'Runtime.consoleAPICalled' && params.type === 'error') {
        this.errors.push(params.args.map((arg) => arg.value ?? arg.description).join(' '));
      } else if (method === 'Log.entryAdded' && params.entry.level === 'error') {
        this.errors.push(`${params.entry.text} ${params.entry.url ?? ''}`);
      }
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
