// The dashboard: what Go pushes, read from PHP once a second.
import { phpModes, read } from './api.js';
import { $, act, element, everySecond, write } from './dom.js';
import { count } from './format.js';
import { Tiles } from './tiles.js';

const READ_REQUESTS = 24;

const tiles = new Tiles($('tiles'));
let turn = 0;
let paused = false;

function show(answer) {
  const { server, age, mode, thread } = answer;
  if (!server) {
    throw new Error('Go pushes nothing: is shared_state_demo among the global options of the Caddyfile?');
  }
  write($('source'), `Push ${count(server.pushes)}, read by ${mode} thread ${thread}.`);
  tiles.update(server);
  showThreads(server.threads);
  if (age > 10) {
    throw new Error(`The last push is ${count(Math.round(age))} seconds old.`);
  }
}

function showThreads(threads) {
  const all = Math.max(1, threads.reduce((sum, thread) => sum + thread.hits, 0));
  $('threads').tBodies[0].replaceChildren(
    ...threads.map((thread) => {
      const bar = element('i');
      bar.style.setProperty('--share', thread.hits / all);
      return element(
        'tr',
        {},
        element('th', { scope: 'row' }, String(thread.record)),
        ...[thread.hits, thread.reads, thread.locked].map((n) => element('td', { className: 'number' }, count(n))),
        element('td', { className: 'bar' }, bar, ` ${Math.round((100 * thread.hits) / all)} %`),
      );
    }),
  );
}

async function readMuch() {
  const answers = await Promise.all(Array.from({ length: READ_REQUESTS }, (_, i) => read(phpModes[i % phpModes.length], 'read')));
  const reads = answers.reduce((sum, answer) => sum + answer.reads, 0);
  const threads = new Set(answers.map((answer) => answer.thread)).size;
  $('reads-done').textContent = `${count(reads)} reads on ${count(threads)} threads.`;
}

$('pause').addEventListener('click', () => {
  paused = !paused;
  $('pause').setAttribute('aria-pressed', String(paused));
});
$('reads').addEventListener('submit', (event) => {
  event.preventDefault();
  act(event.target.querySelectorAll('button'), readMuch, (text) => ($('reads-done').textContent = text));
});

everySecond(async () => {
  if (!paused) show(await read(phpModes[turn++ % phpModes.length], 'figures'));
});
