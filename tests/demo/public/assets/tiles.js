import { element } from './dom.js';
import { bytes, count, duration, span } from './format.js';
import { Sparkline } from './sparkline.js';

// A rate is shown per second, from the difference between two pushes.
const figures = [
  { key: 'uptime', label: 'Uptime', show: duration, note: (server) => `${count(server.pushes)} pushes` },
  { key: 'requests', label: 'Requests/s', show: count, rate: true, note: (server) => `${count(server.requests)} in all` },
  { key: 'hits', label: 'Cache hits/s', show: count, rate: true, note: (server) => `${count(server.hits)} in all` },
  { key: 'writes', label: 'Writes/s', show: count, rate: true, note: (server) => `${count(server.writes)} in all` },
  { key: 'keys', label: 'Keys', show: count },
  { key: 'memory_used', label: 'Table memory', show: bytes, note: (server) => `of ${bytes(server.memory_limit)}` },
  { key: 'go_heap', label: 'Go heap', show: bytes },
  { key: 'goroutines', label: 'Goroutines', show: count },
];

/** The figures that Go pushes, each with a chart of the last minute. */
export class Tiles {
  constructor(list) {
    this.tiles = figures.map((figure) => {
      const value = element('dd', { className: 'figure' }, '–');
      const note = element('dd', { className: 'note' });
      const chart = figure.key === 'uptime' ? null : new Sparkline();
      const tile = element('div', {}, element('dt', {}, figure.label), value, note);
      tile.dataset.figure = figure.key;
      if (chart) tile.append(chart.element);
      list.append(tile);
      return { ...figure, value, noteOf: figure.note, note, chart };
    });
  }

  /** Shows one push. */
  update(server) {
    for (const tile of this.tiles) {
      const history = server.history[tile.key];
      const values = tile.rate ? rates(history, server.history.time) : (history ?? [server[tile.key]]);
      tile.chart?.draw(values);
      tile.value.textContent = values.length === 0 ? '–' : tile.show(values.at(-1));
      tile.note.textContent = tile.noteOf?.(server) ?? span(tile.show(Math.min(...values)), tile.show(Math.max(...values)));
    }
  }
}

/** How fast a sum grew between each two pushes, per second. */
function rates(sums, times) {
  return sums.slice(1).map((sum, i) => Math.round(Math.max(0, sum - sums[i]) / Math.max(0.001, times[i + 1] - times[i])));
}
