import { bytes, count, duration, span } from './format.js';
import { Sparkline } from './sparkline.js';

// The keys that Go pushes, under `server:`. A rate is the difference between two pushes.
const figures = [
  { key: 'uptime', label: 'Uptime', show: duration, chart: false },
  { key: 'rows', label: 'Rows in the table', show: count },
  { key: 'memory_used', label: 'Memory used', show: bytes },
  { key: 'writes', label: 'Writes per second', show: count, rate: true },
  { key: 'go_heap', label: 'Go heap', show: bytes },
  { key: 'goroutines', label: 'Goroutines', show: count },
];

/** The grid of figures that Go pushes. */
export class Tiles {
  constructor(list) {
    this.tiles = figures.map((figure) => {
      const tile = document.createElement('div');
      const term = document.createElement('dt');
      term.textContent = figure.label;
      const value = document.createElement('dd');
      value.className = 'figure';
      value.textContent = '–';
      const note = document.createElement('dd');
      note.className = 'note';
      tile.append(term, value, note);
      const chart = figure.chart === false ? null : new Sparkline();
      if (chart) tile.append(chart.element);
      list.append(tile);
      return { ...figure, value, note, chart };
    });
  }

  /** Takes over one push; the same push read twice changes nothing. */
  update(server) {
    const pushes = server.pushes - (this.last?.pushes ?? server.pushes);
    if (this.last && pushes === 0) return;
    for (const tile of this.tiles) {
      if (!(tile.key in server)) continue;
      if (tile.rate && pushes <= 0) continue;
      const value = tile.rate ? Math.max(0, (server[tile.key] - this.last[tile.key]) / (server.time - this.last.time)) : server[tile.key];
      tile.value.textContent = tile.show(tile.rate ? Math.round(value) : value);
      if (tile.chart) {
        tile.chart.push(value);
        tile.note.textContent = this.#note(tile);
      } else {
        tile.note.textContent = `${count(server.pushes)} pushes`;
      }
    }
    this.last = server;
  }

  #note(tile) {
    if (tile.chart.values.length < 2) return '';
    const [low, high] = tile.chart.range();
    const round = tile.rate ? Math.round : (value) => value;
    return span(tile.show(round(low)), tile.show(round(high)));
  }
}
