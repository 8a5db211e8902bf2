// The explorer: lists, adds, changes and removes keys. Keys have any bytes and travel as base64.
import { change, phpModes, read } from './api.js';
import { $, act, element, everySecond, problem, write } from './dom.js';
import { count } from './format.js';

const hints = {
  string: 'Text, as it is.',
  binary: 'Any bytes: \\xNN with two hexadecimal digits, \\n, \\r, \\t and \\\\ for a backslash.',
  int: 'A whole number of 64 bits.',
  float: 'A number such as 1.5 or 2e10, or INF, -INF, NAN.',
  bool: 'true or false.',
  null: 'null has no value to write.',
  array: 'JSON such as [1, 2] or {"name": "value"}. Objects become arrays with string keys.',
};
const readOnly = {
  array: 'This array holds what JSON cannot: it is shown, and can be deleted, but not edited here.',
  enum: 'A case of an enum: only PHP code that has the enum can store it.',
  object: 'An object: only PHP code that has its class can store it.',
  unreadable: 'This value cannot be read back.',
};

let turn = 0;
let asked = 0;
let shown = '';
let edited = null; // the row whose value is in the editor, null for a new key
let removed = null;

const base64 = (text) => btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
const php = () => phpModes[turn++ % phpModes.length];

async function refresh() {
  const ask = ++asked;
  const answer = await read(php(), 'list', { prefix: base64($('prefix').value) });
  if (ask !== asked) return; // a later question is under way
  const { keys, found, total } = answer;
  write($('found'), `${count(found)} of ${count(total)} keys${keys.length < found ? `, of which the first ${count(keys.length)} are shown` : ''}.`);
  const text = JSON.stringify(keys);
  if (text === shown) return;
  shown = text;
  show(keys);
}

/** Puts the rows in place. A key keeps its row, so that the focus and a click under way stay where they are. */
function show(keys) {
  const body = $('keys').tBodies[0];
  const old = new Map([...body.rows].map((row) => [row.dataset.key, row]));
  const rows = keys.map((key) => old.get(key.key) ?? emptyRow());
  rows.forEach((row, i) => {
    fill(row, keys[i]);
    old.delete(keys[i].key);
  });
  for (const gone of old.values()) gone.remove();
  rows.forEach((row, i) => {
    if (body.rows[i] !== row) body.insertBefore(row, body.rows[i] ?? null);
  });
}

function emptyRow() {
  const button = (action) => {
    const made = element('button', { type: 'button', className: 'quiet' });
    made.dataset.action = action;
    return made;
  };
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, element('code')),
    element('td', { className: 'type' }),
    element('td', { className: 'value' }, element('code')),
    element('td', { className: 'size' }),
    element('td', { className: 'tools' }, button('edit'), button('delete')),
  );
}

function fill(row, key) {
  const [name, type, value, size, tools] = row.cells;
  row.dataset.key = key.key;
  row.dataset.name = key.name;
  write(name.firstChild, key.name === '' ? '(empty)' : key.name);
  write(type, key.type);
  write(value.firstChild, key.text);
  write(size, key.size);
  const labels = [key.editable ? 'Edit' : 'View', 'Delete'];
  [...tools.children].forEach((button, i) => {
    write(button, labels[i]);
    button.setAttribute('aria-label', `${labels[i]} ${key.name}`);
  });
}

function openEditor(row) {
  edited = row;
  const changeable = row?.editable ?? true;
  $('editor-title').textContent = row ? (changeable ? 'Edit a key' : 'View a key') : 'Add a key';
  $('key').value = row?.name ?? '';
  $('key').readOnly = row !== null;
  $('type').value = row?.type ?? 'string';
  $('type').disabled = !changeable;
  $('text').value = row?.text ?? '';
  $('text').readOnly = !changeable;
  $('store').hidden = !changeable;
  $('cancel').textContent = changeable ? 'Cancel' : 'Close';
  problem($('editor-problem'), '');
  showType();
  $('editor').showModal();
  (row ? $('text') : $('key')).focus();
}

function showType() {
  const type = $('type').value;
  const changeable = edited?.editable ?? true;
  $('hint').textContent = changeable ? hints[type] : readOnly[type];
  $('text').disabled = type === 'null';
}

async function store() {
  const order = { type: $('type').value, text: $('text').value };
  await change(php(), 'put', edited ? { ...order, key: edited.key } : { ...order, key: base64($('key').value), new: true });
  $('editor').close();
  await refresh();
}

async function remove() {
  await change(php(), 'forget', { key: removed });
  $('removal').close();
  await refresh();
}

const inForm = (form) => form.querySelectorAll('button');

$('prefix').addEventListener('input', () => refresh().catch((error) => problem($('problem'), error.message)));
$('search').addEventListener('submit', (event) => event.preventDefault());
$('add').addEventListener('click', () => openEditor(null));
$('samples').addEventListener('click', () =>
  act(
    [$('samples')],
    async () => {
      await change(php(), 'samples');
      await refresh();
    },
    (text) => problem($('problem'), text),
  ),
);
$('keys').addEventListener('click', (event) => {
  const { action } = event.target.dataset;
  const row = event.target.closest('tr');
  if (action === 'edit') {
    read(php(), 'value', { key: row.dataset.key }).then(
      (answer) => openEditor(answer.row),
      (error) => problem($('problem'), error.message),
    );
  } else if (action === 'delete') {
    removed = row.dataset.key;
    $('removal-key').textContent = row.dataset.name;
    problem($('removal-problem'), '');
    $('removal').showModal();
  }
});
$('type').addEventListener('change', showType);
$('cancel').addEventListener('click', () => $('editor').close());
$('removal-no').addEventListener('click', () => $('removal').close());
$('edit').addEventListener('submit', (event) => {
  event.preventDefault();
  act(inForm(event.target), store, (text) => problem($('editor-problem'), text));
});
$('remove').addEventListener('submit', (event) => {
  event.preventDefault();
  act(inForm(event.target), remove, (text) => problem($('removal-problem'), text));
});
everySecond(refresh);
