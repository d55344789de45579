"use strict";
// Elements, scales, marks, and charts that answer to pointer and keys; page.js draws with them.
const charts = (() => {
  const page = document.documentElement;
  const failure = document.getElementById("failure");
  const tip = document.getElementById("tip");
  const SVG = document.getElementById("mark").namespaceURI;
  const NEAR = 26;

  function fail(reason) {
    page.dataset.state = "failed";
    failure.hidden = false;
    failure.textContent = `This page could not be drawn: ${reason}`;
  }
  window.addEventListener("error", (event) => fail(event.message));
  window.addEventListener("unhandledrejection", (event) => fail(String(event.reason)));

  function filled(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null && value !== undefined) node.setAttribute(name, value);
    }
    node.append(...children);
    return node;
  }
  // texts only ever become text nodes, so that no name can become markup
  const html = (name, attributes = {}, ...children) => filled(document.createElement(name), attributes, children);
  const svg = (name, attributes = {}, ...children) => filled(document.createElementNS(SVG, name), attributes, children);

  const count = (value) => value.toLocaleString("en-GB");
  const ratio = (value) => value.toFixed(3);
  const percent = (value) => `${(100 * value).toFixed(1)} %`;
  const figure = (value) => (value === null ? "–" : Number(value.toPrecision(4)).toString());
  const seconds = (value) =>
    value === null ? "–" : value < 1 ? `${Number((1000 * value).toPrecision(3))} ms` : `${count(Number(value.toPrecision(4)))} s`;

  function list(pairs) {
    return html("dl", {}, ...pairs.flatMap(([name, value]) => [html("dt", {}, name), html("dd", {}, value)]));
  }

  function showTip(pairs, x, y) {
    tip.replaceChildren(list(pairs));
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const left = x + 16 + width > window.innerWidth ? x - 16 - width : x + 16;
    const top = y + 16 + height > window.innerHeight ? y - 16 - height : y + 16;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${Math.max(4, top)}px`;
  }

  const extent = (values) => [Math.min(...values), Math.max(...values)];
  const scale = ([low, high], [from, to]) => (value) => from + ((value - low) / (high - low || 1)) * (to - from);
  const path = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

  function ticks(low, high, wanted) {
    const rough = (high - low || 1) / wanted;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
    const first = Math.ceil(low / step - 1e-9);
    const values = [];
    for (let i = first; i * step <= high + step * 1e-6; i++) values.push(Number((i * step).toPrecision(10)));
    return values;
  }

  const CORNERS = { s: [4, 45], D: [4, 0], d: [4, 0], "^": [3, 0], v: [3, 180], p: [5, 0], h: [6, 0], 8: [8, 22.5] };

  function ring(corners, degrees, radius) {
    return [...Array(corners).keys()].map((i) => {
      const angle = (degrees / 180 + (2 * i) / corners) * Math.PI;
      const r = Array.isArray(radius) ? radius[i % 2] : radius;
      return [r * Math.sin(angle), -r * Math.cos(angle)];
    });
  }

  function marker(kind, size, attributes) {
    if (kind === "*") return svg("path", { ...attributes, d: `${path(ring(10, 0, [1.6 * size, 0.68 * size]))}Z` });
    if (kind in CORNERS) return svg("path", { ...attributes, d: `${path(ring(...CORNERS[kind], 1.2 * size))}Z` });
    return svg("circle", { ...attributes, r: size });
  }

  const at = (node, x, y) => filled(node, { transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` }, []);

  function legend(entries) {
    const item = ([name, mark]) =>
      html("li", {}, svg("svg", { viewBox: "-9 -8 18 16", "aria-hidden": "true" }, mark), name);
    return html("ul", { class: "legend" }, ...entries.map(item));
  }

  // Charts that show the same walk mark the same place of it.
  const linked = new Map();
  const point = (group, i) => (linked.get(group) ?? []).forEach((mark) => mark(i));

  // A chart calls `draw` again whenever its width changes. What it draws it also returns as spots: where they are, what
  // they say, and how far the pointer is from them.
  function chart(label, height, draw, group) {
    const canvas = svg("svg", { class: "chart", tabindex: 0, role: "group", "aria-label": `${label}: arrow keys go from point to point` });
    const holder = html("div", { class: "canvas" }, canvas);
    let width = 0;
    let spots = [];
    let current = -1;
    let sign = null;

    function mark(i) {
      sign?.remove();
      sign = null;
      current = i;
      if (i < 0 || i >= spots.length) return;
      const { x, y, guide } = spots[i];
      sign = svg("g", {}, ...(y === null ? [] : [svg("circle", { class: "ring", cx: x, cy: y, r: 7 })]));
      if (guide) sign.prepend(svg("path", { class: "guide", d: `M${x} ${guide[0]}V${guide[1]}` }));
      canvas.append(sign);
    }

    function select(i) {
      mark(i);
      for (const other of linked.get(group) ?? []) if (other !== mark) other(i);
      if (i < 0) {
        tip.hidden = true;
        return;
      }
      const box = canvas.getBoundingClientRect();
      showTip(spots[i].text(), box.left + (spots[i].x / width) * box.width, box.top + (spots[i].y / width) * box.width);
    }

    function nearest(event) {
      const box = canvas.getBoundingClientRect();
      const unit = width / box.width;
      const [x, y] = [(event.clientX - box.left) * unit, (event.clientY - box.top) * unit];
      let best = -1;
      let least = NEAR;
      spots.forEach((spot, i) => {
        const far = spot.guide ? Math.abs(spot.x - x) : Math.hypot(spot.x - x, spot.y - y) * (spot.pull ?? 1);
        if (far < least) [best, least] = [i, far];
      });
      return best;
    }

    function move(event) {
      const last = spots.length - 1;
      const next = { ArrowRight: current + 1, ArrowDown: current + 1, ArrowLeft: current - 1, ArrowUp: current - 1, Home: 0, End: last };
      if (event.key === "Escape") select(-1);
      if (!(event.key in next) || last < 0) return;
      event.preventDefault();
      select(Math.min(Math.max(next[event.key], 0), last));
    }

    function redraw() {
      const found = Math.round(holder.clientWidth) || 600;
      if (found === width) return;
      width = found;
      const tall = height(width);
      canvas.setAttribute("viewBox", `0 0 ${width} ${tall}`);
      canvas.replaceChildren();
      if (current >= 0) tip.hidden = true;
      sign = null;
      current = -1;
      spots = draw(canvas, width, tall);
    }

    canvas.addEventListener("pointermove", (event) => select(nearest(event)));
    canvas.addEventListener("pointerdown", (event) => select(nearest(event)));
    canvas.addEventListener("pointerleave", () => select(-1));
    canvas.addEventListener("blur", () => select(-1));
    canvas.addEventListener("keydown", move);
    if (group) linked.set(group, [...(linked.get(group) ?? []), mark]);
    new ResizeObserver(() => requestAnimationFrame(redraw)).observe(holder);
    return { holder, redraw };
  }

  function axes(canvas, x, y, box, names, format) {
    const [left, right, top, bottom] = box;
    for (const value of names.yTicks) {
      canvas.append(svg("path", { class: "grid", d: `M${left} ${y(value)}H${right}` }));
      canvas.append(svg("text", { x: left - 7, y: y(value) + 4, "text-anchor": "end" }, format.y(value)));
    }
    for (const value of names.xTicks) {
      canvas.append(svg("text", { x: x(value), y: bottom + 17, "text-anchor": "middle" }, format.x(value)));
    }
    canvas.append(svg("path", { class: "axis", d: `M${left} ${bottom}H${right}` }));
    canvas.append(svg("text", { x: (left + right) / 2, y: bottom + 34, "text-anchor": "middle" }, names.x));
  }

  return { html, svg, count, ratio, percent, figure, seconds, list, extent, scale, path, ticks, marker, at, legend, chart, axes, point };
})();
