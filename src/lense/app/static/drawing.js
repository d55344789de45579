// The core, drawn by WebGL: zoomed by wheel, buttons and keys, searched by id; roles have colours and sizes.
import { smoothSigma } from "/static/smooth.js";

const { html, count, legend, marker } = charts;
const SIZES = [6, 6, 4.2, 2.2];
const COLOURS = ["--solution", "--solution", "--root", "--other"];
const MANY_EDGES = 15000;
const page = getComputedStyle(document.documentElement);
const colour = (name) => page.getPropertyValue(name).trim();

// "#5b666e" as a colour that lets others shine through; sigma blends colours that are multiplied by their share already.
function faint(name, share) {
  const value = Number.parseInt(colour(name).slice(1), 16);
  const parts = [value >> 16, (value >> 8) & 255, value & 255];
  const grey = (parts[0] + parts[1] + parts[2]) / 3; // of a small share, rounding would leave a tint
  return `rgba(${parts.map((one) => Math.round((share < 0.1 ? grey : one) * share)).join(",")},${share})`;
}

function graphOf(data) {
  const graph = new graphology.MultiUndirectedGraph();
  const shrunk = Math.min(1, Math.sqrt(2500 / data.points.length) + 0.35);
  data.points.forEach(([x, y], i) => {
    const role = data.role[i];
    graph.addNode(i, { x, y, size: SIZES[role] * shrunk, role, label: data.id[i], zIndex: 3 - role });
  });
  for (const [a, b] of data.edges) graph.addEdge(a, b, { size: 0.6 });
  paint(graph);
  return graph;
}

// Colours by the scheme of now, light or dark.
function paint(graph) {
  const ofRole = COLOURS.map(colour);
  const edge = faint("--edge", Math.min(0.3, Math.max(0.04, 8 / Math.sqrt(2 * graph.size + 1))));
  graph.updateEachNodeAttributes((id, one) => ({ ...one, color: ofRole[one.role] }));
  graph.updateEachEdgeAttributes((id, one) => ({ ...one, color: edge }));
}

// A found vertex and its neighbours, over the drawing of all others, which fades.
function drawFound(context, sigma, graph, found) {
  const place = (id) => ({ ...sigma.graphToViewport(graph.getNodeAttributes(id)), size: sigma.scaleSize(graph.getNodeAttribute(id, "size")) });
  const disc = ({ x, y }, size) => {
    context.beginPath();
    context.arc(x, y, size, 0, 2 * Math.PI);
    context.fill();
  };
  const middle = place(found);
  const near = graph.neighbors(found).map((id) => [place(id), graph.getNodeAttribute(id, "color")]);
  context.strokeStyle = colour("--accent");
  context.lineWidth = 1.2;
  context.beginPath();
  for (const [{ x, y }] of near) {
    context.moveTo(middle.x, middle.y);
    context.lineTo(x, y);
  }
  context.globalAlpha = Math.max(0.25, Math.min(1, 8 / Math.sqrt(near.length))); // the edges of a hub hide nothing
  context.stroke();
  context.globalAlpha = 1;
  for (const [at, filled] of near) {
    context.fillStyle = filled;
    disc(at, at.size);
  }
  context.fillStyle = colour("--ink");
  disc(middle, 1.7 * middle.size);
}

function drawHover(context, node, settings) {
  const size = settings.labelSize;
  context.font = `600 ${size}px ${settings.labelFont}`;
  const width = context.measureText(node.label).width + 10;
  context.fillStyle = colour("--panel");
  context.strokeStyle = colour("--rule");
  context.beginPath();
  context.rect(node.x + node.size + 2, node.y - size / 2 - 5, width, size + 9);
  context.fill();
  context.stroke();
  context.fillStyle = colour("--ink");
  context.fillText(node.label, node.x + node.size + 7, node.y + size / 3);
  context.beginPath();
  context.arc(node.x, node.y, node.size + 2, 0, 2 * Math.PI);
  context.strokeStyle = colour("--ink");
  context.lineWidth = 2;
  context.stroke();
}

export function drawGraph(data) {
  const canvas = html("div", { class: "graph", tabindex: 0, role: "application", "aria-label": "Drawing of the core: plus and minus zoom, arrows move, 0 shows all, Escape ends a search" });
  const search = html("input", { type: "search", placeholder: "Find a vertex by its id", "aria-label": "Find a vertex by its id", maxlength: 200 });
  const found = html("p", { class: "note", role: "status" });
  const button = (name, label) => html("button", { type: "button", "aria-label": label, title: label }, name);
  const [closer, further, whole] = [button("+", "Zoom in"), button("−", "Zoom out"), button("All", "Show all")];
  const form = html("form", { class: "finder", role: "search" }, search, html("button", {}, "Find"), closer, further, whole);
  const names = [...new Set(data.role)].sort().map((role) => [data.roles[role], marker("o", SIZES[role] * 0.9, { class: `vertex role-${role}` })]);
  const node = html("figure", { class: "block drawing" }, html("h3", {}, data.title), form, canvas, found, legend(names), html("figcaption", {}, data.caption));
  const numbers = new Map(data.id.map((id, i) => [id, i]));
  const graph = graphOf(data);
  let shown = null;
  let sigma = null;

  function start() {
    if (!node.isConnected) return;
    sigma = smoothSigma(graph, data, canvas, data.edges.length > MANY_EDGES, {
      allowInvalidContainer: true,
      zIndex: true,
      labelFont: "system-ui, sans-serif",
      labelSize: 12,
      labelDensity: 0.35,
      labelGridCellSize: 90,
      labelRenderedSizeThreshold: 7,
      labelColor: { color: colour("--ink") },
      minCameraRatio: 0.005,
      maxCameraRatio: 4,
      defaultDrawNodeHover: drawHover,
    });
    sigma.createCanvasContext("found", { beforeLayer: "labels" });
    sigma.resize(true);
    sigma.on("afterRender", drawShown);
    sigma.on("clickNode", ({ node: id }) => show(Number(id)));
    sigma.on("clickStage", () => show(null));
    node.dataset.state = "drawn";
  }

  function drawShown() {
    const layer = sigma.getCanvases().found;
    const context = layer.getContext("2d");
    context.clearRect(0, 0, layer.width, layer.height);
    if (shown !== null) drawFound(context, sigma, graph, shown);
  }

  function describe(i) {
    const role = data.roles[data.role[i]];
    return `${data.id[i]}: ${role}, degree ${count(data.degree[i])}.`;
  }

  function show(i) {
    shown = i;
    canvas.classList.toggle("is-finding", i !== null);
    found.textContent = i === null ? "" : describe(i);
    if (sigma) drawShown();
  }

  function find(id) {
    const i = numbers.get(id);
    if (i === undefined) {
      show(null);
      found.textContent = `${id} is not drawn here: it was pruned, or the graph has no such vertex.`;
      return;
    }
    show(i);
    if (!sigma) return;
    const { x, y } = sigma.getNodeDisplayData(String(i));
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    sigma.getCamera().animate({ x, y, ratio: 0.25 }, { duration: isCalm ? 0 : 400 });
  }

  const moves = {
    "+": (camera) => camera.animatedZoom({ duration: 120 }),
    "=": (camera) => camera.animatedZoom({ duration: 120 }),
    "-": (camera) => camera.animatedUnzoom({ duration: 120 }),
    0: (camera) => camera.animatedReset({ duration: 200 }),
    ArrowLeft: (camera) => camera.setState({ x: camera.x - 0.1 * camera.ratio }),
    ArrowRight: (camera) => camera.setState({ x: camera.x + 0.1 * camera.ratio }),
    ArrowUp: (camera) => camera.setState({ y: camera.y + 0.1 * camera.ratio }),
    ArrowDown: (camera) => camera.setState({ y: camera.y - 0.1 * camera.ratio }),
  };
  const move = (key) => sigma && moves[key](sigma.getCamera());
  closer.addEventListener("click", () => move("+"));
  further.addEventListener("click", () => move("-"));
  whole.addEventListener("click", () => (show(null), move("0")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (search.value.trim()) find(search.value.trim());
  });
  node.addEventListener("keydown", (event) => {
    if (event.key === "Escape") show(null);
    if (event.target !== canvas || !(event.key in moves)) return;
    event.preventDefault();
    move(event.key);
  });
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const recolour = () => {
    sigma?.setSetting("labelColor", { color: colour("--ink") });
    paint(graph);
  };
  scheme.addEventListener("change", recolour);
  requestAnimationFrame(start);
  return { node, find, end: () => (scheme.removeEventListener("change", recolour), sigma?.kill()) };
}
