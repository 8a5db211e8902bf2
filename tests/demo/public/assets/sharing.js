// The sharing page: one counter, moved and read by classic threads, worker threads and Go.
import { change, modes, read } from './api.js';
import { $, act, element, everySecond, write } from './dom.js';
import { count } from './format.js';

const STEPS = 1000;

const progress = $('progress');
let busy = false;

const field = (mode, name) => document.querySelector(`[data-mode="${mode}"] [data-field="${name}"]`);
const words = { classic: 'classic thread', worker: 'worker thread', go: 'Go' };
const who = (answer) => (answer.mode === 'go' ? 'Go' : `${words[answer.mode]} ${answer.thread}`);

function verdict(kind, ...lines) {
  $('verdict').className = `verdict ${kind}`;
  $('verdict').replaceChildren(...lines.map((line) => element('p', {}, line)));
}

/** Asks each of the three for the counter, and PHP for who has counted. */
async function refresh() {
  const states = await Promise.all(modes.map((mode) => read(mode, 'state')));
  states.forEach((state) => write(field(state.mode, 'counter'), count(state.counter)));
  const [state] = states;
  write($('counter'), count(state.counter));
  showThreads(state.threads);
  return state.counter;
}

function showAnswer(answer) {
  write(field(answer.mode, 'thread'), answer.mode === 'go' ? 'a goroutine' : `thread ${answer.thread}`);
  write(field(answer.mode, 'served'), count(answer.served));
  write(field(answer.mode, 'range'), answer.steps === 1 ? count(answer.last) : `${count(answer.first)} to ${count(answer.last)}`);
}

function showThreads(threads) {
  if (threads.length === 0) {
    $('threads').tBodies[0].replaceChildren(element('tr', {}, element('td', { colSpan: 3 }, 'No one yet.')));
    return;
  }
  const most = Math.max(...threads.map((thread) => thread.requests));
  $('threads').tBodies[0].replaceChildren(
    ...threads.map((thread) => {
      const bar = element('i');
      bar.style.setProperty('--share', thread.requests / most);
      return element(
        'tr',
        { className: modes.includes(thread.mode) ? thread.mode : '' },
        element('th', { scope: 'row' }, thread.mode === 'go' ? 'any' : thread.thread),
        element('td', { className: 'mode' }, thread.mode === 'go' ? 'Go' : thread.mode),
        element('td', { className: 'bar' }, bar, ` ${count(thread.requests)}`),
      );
    }),
  );
}

async function countFromEach() {
  const answers = await Promise.all(modes.map((mode) => change(mode, 'increment', { steps: 1 })));
  answers.forEach(showAnswer);
  await refresh();
  answers.sort((a, b) => a.last - b.last);
  verdict('good', `${answers.map((answer) => `${who(answer)} made it ${count(answer.last)}`).join(', ')}.`.replace(/^./, (c) => c.toUpperCase()));
}

async function countInParallel() {
  const n = Number($('requests').value);
  const before = await refresh();
  Object.assign(progress, { max: n, value: 0 });
  const outcomes = await Promise.allSettled(
    Array.from({ length: n }, (_, i) => change(modes[i % modes.length], 'increment', { steps: STEPS }).finally(() => progress.value++)),
  );
  const answers = outcomes.filter((outcome) => outcome.status === 'fulfilled').map((outcome) => outcome.value);
  answers.forEach(showAnswer);
  const after = await refresh();
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw new Error(`${n - answers.length} of ${n} requests failed. ${failure.reason.message}`);
  judge(before, answers, after);
}

function judge(before, answers, after) {
  const expected = before + answers.length * STEPS;
  const sum = `${count(before)} + ${count(answers.length)} × ${count(STEPS)} = ${count(expected)}`;
  const of = (mode) => answers.filter((answer) => answer.mode === mode);
  const threads = (mode) => new Set(of(mode).map((answer) => answer.thread)).size;
  const mixed = answers.filter((answer) => answer.last - answer.first + 1 > answer.steps).length;
  const details = [
    `Answered by ${threads('classic')} classic threads, ${threads('worker')} worker threads, and ${of('go').length} times by Go.`,
    `During ${count(mixed)} of ${count(answers.length)} requests another thread counted in between.`,
  ];
  if (after === expected) {
    verdict('good', `${sum}: exact.`, ...details);
  } else if (after > expected) {
    verdict('', `${sum}, and the counter says ${count(after)}: somebody else counted at the same time.`, ...details);
  } else {
    verdict('bad', `${sum}, but the counter says ${count(after)}: ${count(expected - after)} steps are missing.`, ...details);
  }
}

async function backToZero() {
  await change('classic', 'reset');
  await refresh();
  progress.value = 0;
  for (const mode of modes) for (const name of ['thread', 'served', 'range']) write(field(mode, name), '–');
  verdict('', 'The counter starts from zero again.');
}

async function run(action) {
  busy = true;
  await act(document.querySelectorAll('#count button, #count select'), action, (text) => verdict('bad', text));
  busy = false;
}

$('each').addEventListener('click', () => run(countFromEach));
$('reset').addEventListener('click', () => run(backToZero));
$('count').addEventListener('submit', (event) => {
  event.preventDefault();
  run(countInParallel);
});
everySecond(async () => {
  if (!busy) await refresh();
});
