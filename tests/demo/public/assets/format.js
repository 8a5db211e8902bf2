const plain = new Intl.NumberFormat('en');
const tenth = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

export const count = (value) => plain.format(value);

/** Bytes in KiB or MiB, with one digit behind the point. */
export const bytes = (value) =>
  value < 1024 ? `${count(value)} B` : value < 1 << 20 ? `${tenth.format(value / 1024)} KiB` : `${tenth.format(value / (1 << 20))} MiB`;

/** Seconds as 42 s, 3 min 05 s, 2 h 07 min or 3 d 04 h. */
export function duration(seconds) {
  const two = (n) => String(n).padStart(2, '0');
  const s = Math.floor(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${two(s % 60)} s`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ${two(Math.floor(s / 60) % 60)} min`;
  return `${Math.floor(s / 86400)} d ${two(Math.floor(s / 3600) % 24)} h`;
}

/** Two formatted figures as a range, a common unit said once. */
export function span(from, to) {
  if (from === to) return 'steady';
  const unit = to.match(/ \D+$/)?.[0] ?? '';
  return `${unit !== '' && from.endsWith(unit) ? from.slice(0, -unit.length) : from} – ${to}`;
}
