// The answer, first in four figures, then as a table and a drawing, then from inside; and all of it to take away.
import { drawGraph } from "/static/drawing.js";

const { html, figure, count, ratio, list, point } = charts;
const section = document.getElementById("result");
let drawing = null;

export function clearResult() {
  drawing?.end();
  drawing = null;
  section.replaceChildren();
  section.hidden = true;
}

export function showResult(id, result) {
  clearResult();
  section.hidden = false;
  if (result.kind === "solve") showAnswer(id, result);
  else {
    section.append(...drawn({ title: "Pruners side by side", lead: "", blocks: result.blocks }, "h2"));
    if (result.kind === "compare") section.append(takeAway(id, result));
  }
}

// A section of blocks as the report draws them.
function drawn(part, level) {
  const [nodes, redraws] = blocks.drawnPart(part, level);
  requestAnimationFrame(() => redraws.forEach((redraw) => redraw()));
  return nodes;
}

function showAnswer(id, result) {
  const tile = ({ name, value, note }) =>
    html("div", { class: "tile" }, html("h3", {}, name), html("p", { class: "value" }, value), html("p", { class: "note" }, note));
  const [table] = blocks.draws.table(result.chosen);
  table.classList.add("chosen-table");
  const { node, end, find } = drawGraph(result.picture);
  drawing = { end };
  section.append(
    html("h2", {}, "Answer"),
    html("p", { class: "lead" }, `${result.reason[0].toUpperCase()}${result.reason.slice(1)}.`),
    html("div", { class: "tiles" }, ...result.tiles.map(tile)),
    html("div", { class: "blocks beside" }, table, node),
    inside(result.inside),
    takeAway(id, result),
  );
  linkRows(table, find);
}

// A click on a chosen vertex finds it in the drawing.
function linkRows(table, find) {
  table.querySelector("tbody").addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    if (row) find(row.cells[1].textContent);
  });
}

function inside(parts) {
  if (!parts.length) return html("div");
  const sections = parts.map((part) => {
    const nodes = drawn(part, "h3");
    return html("section", {}, ...nodes.slice(0, -1), ...slider(part), ...nodes.slice(-1));
  });
  return html("div", { class: "inside" }, html("h2", {}, "Look inside"), ...sections);
}

// Steps through the places of a walk, marked on the map and on the curves.
function slider(part) {
  const map = part.blocks.find((block) => block.kind === "map" && block.walks);
  if (!map) return [];
  const places = map.walks.places;
  const range = html("input", { type: "range", min: 0, max: places.length - 1, step: 1, value: 0, id: "step" });
  const said = html("div", { class: "place-said", role: "status" });
  const show = () => {
    const place = places[range.valueAsNumber];
    point(map.link, range.valueAsNumber);
    said.replaceChildren(
      list([
        ["step", count(place.step)],
        ["distance to the goal", figure(place.distance)],
        ["vertices", count(place.vertices)],
        ["edges", count(place.edges)],
        ...(place.ratio === null ? [] : [["ratio", ratio(place.ratio)]]),
      ]),
    );
  };
  range.addEventListener("input", show);
  requestAnimationFrame(() => requestAnimationFrame(show));
  return [html("div", { class: "block stepper" }, html("label", { class: "field", for: "step" }, "Step through the walk"), range, said)];
}

// Each word by itself, so that a line does not break inside an option.
const words = (text) => text.split(/(\s+)/).map((word, i) => (i % 2 ? word : html("span", {}, word)));

function takeAway(id, result) {
  const file = ({ name, title }) => html("li", {}, html("a", { href: `/api/jobs/${id}/files/${name}`, download: name }, title));
  const titles = { command: "As a command", python: "In Python" };
  const code = ([kind, text]) => {
    const copy = html("button", { type: "button", class: "copy" }, "Copy");
    copy.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text);
        copy.textContent = "Copied";
      } catch {
        copy.textContent = "Select and copy";
      }
      setTimeout(() => (copy.textContent = "Copy"), 2000);
    });
    return html("div", { class: "block code" }, html("h3", {}, titles[kind]), copy, html("pre", { tabindex: 0 }, html("code", { class: kind }, ...words(text))));
  };
  return html(
    "div",
    { class: "take-away" },
    html("h2", {}, "Take it away"),
    html("ul", { class: "downloads" }, ...result.files.map(file)),
    html("div", { class: "blocks" }, ...Object.entries(result.recipe).map(code)),
  );
}
