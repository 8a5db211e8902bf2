const width = 120;
const height = 32;
const svgNamespace = 'http://www.w3.org/2000/svg';

// A young chart spreads this many values over its width, so that it does not start as a sliver.
const leastValues = 15;

/** A small line chart; the figure beside it says the newest value, so it is hidden from screen readers. */
export class Sparkline {
  constructor() {
    this.element = document.createElementNS(svgNamespace, 'svg');
    this.element.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.element.setAttribute('preserveAspectRatio', 'none');
    this.element.setAttribute('aria-hidden', 'true');
    this.area = this.#path('area');
    this.line = this.#path('line');
  }

  draw(values) {
    const low = Math.min(...values);
    const high = Math.max(...values);
    const step = width / (Math.max(leastValues, values.length) - 1);
    const start = width - (values.length - 1) * step;
    const points = values.map((value, i) => {
      const share = high === low ? 0.5 : (value - low) / (high - low);
      return `${(start + i * step).toFixed(1)} ${(height - 2 - share * (height - 4)).toFixed(1)}`;
    });
    const line = `M${points.join('L')}`;
    this.line.setAttribute('d', points.length > 1 ? line : '');
    this.area.setAttribute('d', points.length > 1 ? `${line}L${width} ${height}L${start.toFixed(1)} ${height}Z` : '');
  }

  #path(name) {
    const path = document.createElementNS(svgNamespace, 'path');
    path.setAttribute('class', name);
    path.setAttribute('vector-effect', 'non-scaling-stroke');
    this.element.append(path);
    return path;
  }
}
