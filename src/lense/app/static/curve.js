// Size against expected ratio, and where the target stands on it.
const { svg, count, percent, scale, path, ticks, chart, axes } = charts;
const holder = document.getElementById("curve");

// At most which share of the edges so many roots keep, between the numbers that were counted.
function shareOf(roots, looked) {
  const at = looked.roots.findIndex((known) => known >= roots);
  if (at < 0) return 1;
  if (at === 0) return looked.shares[0];
  const [a, b] = [looked.roots[at - 1], looked.roots[at]];
  return looked.shares[at - 1] + ((roots - a) / (b - a)) * (looked.shares[at] - looked.shares[at - 1]);
}

export function drawCurve(known, target, looked) {
  if (!known.chosen) {
    holder.replaceChildren();
    return "No core ships for this problem; one is learnt from a sample of the graph if that pays.";
  }
  const { points, chosen } = known;
  const low = Math.min(...points.map((point) => point.ratio), target) - 0.004;
  const draw = (canvas, width, height) => {
    const box = [46, width - 16, 24, height - 42];
    const [first, last] = [points[0].roots, Math.max(points.at(-1).roots, chosen.roots)];
    const x = scale([first, last], box.slice(0, 2));
    const y = scale([low, 1.004], [box[3], box[2]]);
    const xTicks = ticks(first, last, width / 80).filter(Number.isInteger);
    axes(canvas, x, y, box, { x: "roots of the core", xTicks, yTicks: ticks(low, 1.002, 4) }, { x: count, y: (value) => value.toFixed(2) });
    canvas.append(svg("text", { x: 4, y: 11 }, "expected ratio"));
    canvas.append(svg("path", { class: "aim", d: `M${box[0]} ${y(target)}H${box[1]}` }));
    canvas.append(svg("path", { class: "curve", stroke: "var(--line-1)", d: path(points.map((point) => [x(point.roots), y(point.ratio)])) }));
    for (const point of points) canvas.append(svg("circle", { cx: x(point.roots), cy: y(point.ratio), r: 2.6, fill: "var(--line-1)" }));
    canvas.append(svg("circle", { class: "chosen", cx: x(chosen.roots), cy: y(chosen.ratio), r: 6 }));
    return points.map((point) => ({
      x: x(point.roots),
      y: y(point.ratio),
      guide: [box[2], box[3]],
      text: () => [
        ["roots", count(point.roots)],
        ["expected ratio", point.ratio.toFixed(3)],
        ["sure of the target", percent(point.sure)],
        ...(looked ? [["edges at most", percent(shareOf(point.roots, looked))]] : []),
      ],
    }));
  };
  const made = chart("Roots of the core against the ratio to expect", () => 190, draw, null);
  holder.replaceChildren(made.holder);
  made.redraw();
  const edges = looked ? `, with at most ${percent(shareOf(chosen.roots, looked))} of the edges` : "";
  return `A core of ${count(chosen.roots)} roots${edges}: expected ratio ${chosen.ratio.toFixed(3)}, ${Math.round(100 * chosen.sure)} % sure of the target.`;
}
