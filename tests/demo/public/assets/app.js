import { burst, modes, send } from './api.js';
import { count } from './format.js';
import { Tiles } from './tiles.js';

const STEPS = 1000;
const POLL_MS = 1000;

const $ = (id) => document.getElementById(id);
const tiles = new Tiles($('tiles'));
const initial = JSON.parse($('state').textContent);
const problems = Object.fromEntries(modes.map((mode) => [mode, '']));
let nextReader = 0;
let paused = false;

/** Notes what is wrong with a mode, '' for nothing, and shows what is wrong with any. */
function problem(mode, message) {
  problems[mode] = message;
  const text = [...new Set(Object.values(problems))].join(' ').trim();
  write($('problem'), text);
  $('problem').hidden = text === '';
}

function verdict(kind, ...lines) {
  $('verdict').className = `verdict ${kind}`;
  $('verdict').replaceChildren(
    ...lines.map((line) => {
      const p = document.createElement('p');
      p.textContent = line;
      return p;
    }),
  );
}

/** Writes only what changed, so that the live regions speak only then. */
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function show(state) {
  write($('counter'), count(state.counter));
  const requests = modes.reduce((sum, mode) => sum + state.modes[mode], 0);
  for (const mode of modes) {
    write(lane(mode, 'requests'), count(state.modes[mode]));
    const part = document.querySelector(`.share .${mode}`);
    part.style.flexGrow = requests === 0 ? 1 : state.modes[mode];
  }
  showThreads(state.threads);
  if (state.server) {
    tiles.update(state.server);
  }
  showSource(state);
}

function showSource(state) {
  const source = $('source');
  source.classList.toggle('stale', !state.server || state.age > 3);
  if (!state.server) {
    source.textContent =
      'Go pushes nothing yet: build with the package tests/demo/pusher and put shared_state_demo into the Caddyfile.';
  } else if (state.age > 3) {
    source.textContent = `The last push is ${state.age} seconds old: Go has stopped pushing.`;
  } else if (state.mode) {
    source.textContent = `Push ${count(state.server.pushes)}, read by ${state.mode} thread ${state.thread}.`;
  }
}

function lane(mode, field) {
  return document.querySelector(`[data-mode="${mode}"] [data-field="${field}"]`);
}

function showAnswer(answer) {
  write(lane(answer.mode, 'thread'), answer.thread);
  write(lane(answer.mode, 'served'), count(answer.served));
  write(lane(answer.mode, 'range'), answer.steps === 1 ? count(answer.last) : `${count(answer.first)} to ${count(answer.last)}`);
}

function showThreads(threads) {
  const most = Math.max(1, ...threads.map((thread) => thread.requests));
  const rows = threads.map((thread) => {
    const row = document.createElement('tr');
    row.className = thread.mode;
    for (const text of [thread.thread, thread.mode]) {
      row.insertCell().textContent = text;
    }
    const cell = row.insertCell();
    const bar = document.createElement('i');
    bar.style.setProperty('--share', thread.requests / most);
    const number = document.createElement('span');
    number.textContent = count(thread.requests);
    cell.append(number, bar);
    return row;
  });
  if (rows.length === 0) {
    const row = document.createElement('tr');
    const cell = row.insertCell();
    cell.colSpan = 3;
    cell.textContent = 'None yet.';
    rows.push(row);
  }
  document.querySelector('#threads tbody').replaceChildren(...rows);
}

/** Runs one user action with the buttons off; its failure is shown, never thrown. */
async function act(action) {
  const controls = document.querySelectorAll('#count button, #count select');
  const focused = document.activeElement;
  controls.forEach((control) => (control.disabled = true));
  try {
    await action();
  } catch (error) {
    verdict('bad', error.message);
  } finally {
    controls.forEach((control) => (control.disabled = false));
    focused?.focus();
  }
}

async function countFromBoth() {
  const answers = await Promise.all(modes.map((mode) => send(mode, 'increment')));
  answers.forEach(showAnswer);
  show(await send('classic', 'state'));
  const [first, second] = answers.sort((a, b) => a.last - b.last);
  verdict(
    first.thread === second.thread ? '' : 'good',
    `${first.mode} thread ${first.thread} made it ${count(first.last)}, ${second.mode} thread ${second.thread} made it ${count(second.last)}.`,
  );
}

async function countInParallel() {
  const n = Number($('requests').value);
  const before = (await send('classic', 'state')).counter;
  const progress = $('progress');
  Object.assign(progress, { max: n, value: 0, hidden: false });
  const outcomes = await burst(n, STEPS, () => progress.value++);
  progress.hidden = true;
  const after = await send('worker', 'state');
  const answers = outcomes.filter((o) => o.status === 'fulfilled').map((o) => o.value);
  answers.forEach(showAnswer);
  show(after);
  const failure = outcomes.find((o) => o.status === 'rejected');
  if (failure) {
    throw new Error(`${n - answers.length} of ${n} requests failed. ${failure.reason.message}`);
  }
  judge(before, answers, after.counter);
}

function judge(before, answers, after) {
  const expected = before + answers.length * STEPS;
  const sum = `${count(before)} + ${count(answers.length)} × ${count(STEPS)} = ${count(expected)}`;
  const threads = (mode) => new Set(answers.filter((a) => a.mode === mode).map((a) => a.thread)).size;
  const mixed = answers.filter((a) => a.last - a.first + 1 > a.steps).length;
  const detail = `Answered by ${threads('classic')} classic and ${threads('worker')} worker threads. In ${count(mixed)} of ${count(answers.length)} requests another thread counted in between.`;
  if (after === expected) {
    verdict('good', `${sum}: exact.`, detail);
  } else if (after > expected) {
    verdict('', `${sum}, and the counter says ${count(after)}: somebody else counted at the same time.`, detail);
  } else {
    verdict('bad', `${sum}, but the counter says ${count(after)}: ${count(expected - after)} steps are missing.`, detail);
  }
}

async function backToZero() {
  show(await send('classic', 'reset'));
  verdict('', 'The counter starts from zero again.');
}

/** Reads the state once a second, from both modes in turn. */
async function poll() {
  if (!paused && !document.hidden && $('progress').hidden) {
    const mode = modes[nextReader++ % modes.length];
    try {
      show(await send(mode, 'state'));
      problem(mode, '');
    } catch (error) {
      problem(mode, error.message);
    }
  }
  setTimeout(poll, POLL_MS);
}

$('pair').addEventListener('click', () => act(countFromBoth));
$('reset').addEventListener('click', () => act(backToZero));
$('count').addEventListener('submit', (event) => {
  event.preventDefault();
  act(countInParallel);
});
$('pause').addEventListener('click', () => {
  paused = !paused;
  $('pause').setAttribute('aria-pressed', String(paused));
  $('pause').textContent = paused ? 'Go on' : 'Pause';
});

if ('counter' in initial) show(initial);
poll();
