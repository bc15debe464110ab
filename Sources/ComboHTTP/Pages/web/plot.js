/** plot.js: a line plot over the last minutes, on a canvas. Colours come from the page's style, and follow its scheme. */

import { setText, word } from "/assets/page-words.js";

/** A plot of up to three series over time, with the names of the series and their latest values. */
export class Plot {
  /**
   * @param {HTMLElement} parent
   * @param {{title: string, series: string[], format: (value: number) => string, least?: number, points?: number}} options
   *   `least`: the value that the axis reaches at least
   */
  constructor(parent, { title, series, format, least = 1, points = 180 }) {
    this.#title = title;
    this.#names = series;
    this.#format = format;
    this.#least = least;
    this.#most = points;
    const section = element("section", "card plot");
    const head = element("div", "plot-head");
    head.append(element("h2", "", title));
    const keys = element("p", "plot-keys");
    this.#values = series.map((name, index) => {
      const key = element("span");
      const value = element("b", "", "–");
      key.append(element("i", `series-${index + 1}`), document.createTextNode(name), value);
      keys.append(key);
      return value;
    });
    head.append(keys);
    this.#canvas = element("canvas");
    this.#canvas.setAttribute("role", "img");
    this.#canvas.setAttribute("aria-label", title);
    section.append(head, this.#canvas);
    parent.append(section);

    new ResizeObserver(() => this.#wake()).observe(this.#canvas);
    matchMedia("(prefers-color-scheme: light)").addEventListener("change", () => this.#wake());
    this.#canvas.addEventListener("pointermove", (event) => {
      this.#pointer = event.offsetX;
      this.#wake();
    });
    this.#canvas.addEventListener("pointerleave", () => {
      this.#pointer = null;
      this.#wake();
    });
  }

  #title;
  #names;
  #format;
  #least;
  #most;
  #canvas;
  #values;
  /** { at, values } with the oldest first; a value is null where it is not known. */
  #points = [];
  #pointer = null;
  #frame = null;
  #told = -Infinity;

  /** Adds a point at `at` (seconds). A value is null if it is not known. */
  add(at, values) {
    this.#points.push({ at, values });
    while (this.#points.length > this.#most + 1) this.#points.shift();
    values.forEach((value, index) => {
      setText(this.#values[index], value === null ? "–" : this.#format(value));
    });
    // For screen readers: the values in words, every 10 s.
    if (at - this.#told >= 10) {
      this.#told = at;
      const shown = (value) => (value === null ? word("notKnown") : this.#format(value));
      const words = this.#names.map((name, index) => `${name} ${shown(values[index])}`);
      this.#canvas.setAttribute("aria-label", `${this.#title}: ${words.join(", ")}`);
    }
    this.#wake();
  }

  /** The number of points. */
  get length() {
    return this.#points.length;
  }

  #wake() {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = null;
      this.#draw();
    });
  }

  #draw() {
    const canvas = this.#canvas;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (width === 0 || height === 0) return;
    const scale = Math.min(3, devicePixelRatio || 1);
    if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
    if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
    const style = getComputedStyle(canvas);
    const colour = (name) => style.getPropertyValue(name).trim();
    const context = canvas.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = `500 11px ${style.fontFamily}`;

    const last = this.#points.at(-1)?.at ?? 0;
    const known = this.#points.flatMap(({ values }) => values.filter((value) => value !== null));
    const top = niceTop(Math.max(this.#least, ...known));
    const left = Math.max(...[0, 0.5, 1].map((part) => context.measureText(this.#format(top * part)).width)) + 10;
    const area = { left, right: width - 6, top: 8, bottom: height - 20 };
    // At least one minute, and more as points are added.
    const span = Math.min(this.#most, Math.max(60, last - (this.#points[0]?.at ?? 0)));
    const x = (at) => area.right - ((last - at) / span) * (area.right - area.left);
    const y = (value) => area.bottom - (Math.min(value, top) / top) * (area.bottom - area.top);

    context.strokeStyle = colour("--plot-grid");
    context.fillStyle = colour("--text-soft");
    context.lineWidth = 1;
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (const part of [0, 0.5, 1]) {
      const line = Math.round(y(top * part)) + 0.5;
      stroke(context, [[area.left, line], [area.right, line]]);
      context.fillText(this.#format(top * part), area.left - 6, line);
    }
    context.textBaseline = "alphabetic";
    for (const ago of [0, 60, 120, 180]) {
      if (ago > span) continue;
      context.textAlign = ago === 0 ? "right" : ago > span * 0.95 ? "left" : "center";
      context.fillText(ago === 0 ? word("now") : word("minutesAgo", { n: ago / 60 }), x(last - ago), height - 5);
    }

    context.save();
    context.beginPath();
    context.rect(area.left, 0, area.right - area.left + 4, height);
    context.clip();
    for (let series = this.#names.length - 1; series >= 0; series -= 1) {
      context.strokeStyle = colour(`--plot-${series + 1}`);
      for (const run of this.#runs(series)) {
        const line = run.map(({ at, values }) => [x(at), y(values[series])]);
        if (series === 0) {
          const shade = context.createLinearGradient(0, area.top, 0, area.bottom);
          shade.addColorStop(0, `${colour("--plot-1")}55`);
          shade.addColorStop(1, `${colour("--plot-1")}05`);
          context.fillStyle = shade;
          context.beginPath();
          context.moveTo(line[0][0], area.bottom);
          for (const point of line) context.lineTo(...point);
          context.lineTo(line.at(-1)[0], area.bottom);
          context.fill();
        }
        context.lineWidth = 2;
        context.lineJoin = "round";
        context.lineCap = "round";
        stroke(context, line.length === 1 ? [line[0], line[0]] : line);
      }
    }
    context.restore();
    if (this.#pointer !== null) this.#drawPointer(context, area, x, y, colour, width);
  }

  /** Returns the runs of consecutive points that have a value of the series. */
  #runs(series) {
    const runs = [];
    let run = [];
    for (const point of this.#points) {
      if (point.values[series] !== null) run.push(point);
      else if (run.length > 0) {
        runs.push(run);
        run = [];
      }
    }
    return run.length > 0 ? [...runs, run] : runs;
  }

  #drawPointer(context, area, x, y, colour, width) {
    let near = null;
    for (const point of this.#points) {
      if (near === null || Math.abs(x(point.at) - this.#pointer) < Math.abs(x(near.at) - this.#pointer)) near = point;
    }
    if (near === null || x(near.at) < area.left) return;
    const line = Math.round(x(near.at)) + 0.5;
    context.strokeStyle = colour("--text-soft");
    context.lineWidth = 1;
    stroke(context, [[line, area.top], [line, area.bottom]]);
    const rows = [];
    near.values.forEach((value, series) => {
      if (value === null) return;
      context.fillStyle = colour(`--plot-${series + 1}`);
      context.beginPath();
      context.arc(x(near.at), y(value), 4, 0, 2 * Math.PI);
      context.fill();
      rows.push(`${this.#names[series]} ${this.#format(value)}`);
    });
    const text = rows.length > 0 ? rows.join("   ") : word("notKnown");
    const wide = context.measureText(text).width + 16;
    const from = Math.max(area.left, Math.min(line - wide / 2, width - wide - 2));
    context.fillStyle = colour("--card");
    context.strokeStyle = colour("--line");
    context.beginPath();
    context.roundRect(from, area.top, wide, 22, 6);
    context.fill();
    context.stroke();
    context.fillStyle = colour("--text");
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillText(text, from + 8, area.top + 11.5);
  }
}

/** The next round number above the value, half of which is round, too. */
export function niceTop(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  for (const step of [1, 2, 3, 4, 5, 6, 8, 10]) if (value <= step * power * 1.0001) return step * power;
  return 10 * power;
}

function stroke(context, line) {
  context.beginPath();
  context.moveTo(...line[0]);
  for (const point of line.slice(1)) context.lineTo(...point);
  context.stroke();
}

function element(tag, className = "", text = "") {
  const node = document.createElement(tag);
  if (className !== "") node.className = className;
  if (text !== "") node.textContent = text;
  return node;
}
