const width = 120;
const height = 32;
const svgNamespace = 'http://www.w3.org/2000/svg';

// A young chart spreads this many values over its width, so that it does not start as a sliver.
const leastValues = 15;

/** A small line chart of the last `capacity` values; the figure beside it says the newest, so it is hidden from readers. */
export class Sparkline {
  constructor(capacity = 60) {
    this.capacity = capacity;
    this.values = [];
    this.element = document.createElementNS(svgNamespace, 'svg');
    this.element.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.element.setAttribute('preserveAspectRatio', 'none');
    this.element.setAttribute('aria-hidden', 'true');
    this.area = this.#path('area');
    this.line = this.#path('line');
  }

  push(value) {
    this.values.push(value);
    if (this.values.length > this.capacity) {
      this.values.shift();
    }
    this.#draw();
  }

  range() {
    return [Math.min(...this.values), Math.max(...this.values)];
  }

  #path(name) {
    const path = document.createElementNS(svgNamespace, 'path');
    path.setAttribute('class', name);
    path.setAttribute('vector-effect', 'non-scaling-stroke');
    this.element.append(path);
    return path;
  }

  #draw() {
    const [low, high] = this.range();
    const step = width / (Math.max(leastValues, this.values.length) - 1);
    const start = width - (this.values.length - 1) * step;
    const points = this.values.map((value, i) => {
      const share = high === low ? 0.5 : (value - low) / (high - low);
      return `${(start + i * step).toFixed(1)} ${(height - 2 - share * (height - 4)).toFixed(1)}`;
    });
    const line = `M${points.join('L')}`;
    this.line.setAttribute('d', points.length > 1 ? line : '');
    this.area.setAttribute('d', points.length > 1 ? `${line}L${width} ${height}L${start.toFixed(1)} ${height}Z` : '');
  }
}
