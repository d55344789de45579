// The core, drawn by WebGL: zoomed by wheel, buttons and keys, searched by id; roles have colours and sizes.
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
  const shrunk = Math.min(1, Math.sqrt(2500 / data.x.length) + 0.35);
  data.x.forEach((x, i) => {
    const role = data.role[i];
    graph.addNode(i, { x, y: data.y[i], size: SIZES[role] * shrunk, role, label: data.id[i], zIndex: 3 - role });
  });
  for (let i = 0; i < data.edges.length; i += 2) graph.addEdge(data.edges[i], data.edges[i + 1], { size: 0.6 });
  return graph;
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
  const thin = Math.min(0.3, Math.max(0.04, 8 / Math.sqrt(data.edges.length + 1)));
  let shown = null;
  let near = new Set();
  let sigma = null;

  function start() {
    if (!node.isConnected) return;
    sigma = new Sigma(graph, canvas, {
      allowInvalidContainer: true,
      zIndex: true,
      hideEdgesOnMove: data.edges.length / 2 > MANY_EDGES,
      labelFont: "system-ui, sans-serif",
      labelSize: 12,
      labelDensity: 0.35,
      labelGridCellSize: 90,
      labelRenderedSizeThreshold: 7,
      labelColor: { color: colour("--ink") },
      minCameraRatio: 0.005,
      maxCameraRatio: 4,
      defaultDrawNodeHover: drawHover,
      nodeReducer: (id, one) => {
        const isFound = shown !== null;
        if (isFound && Number(id) === shown) return { ...one, color: colour("--ink"), size: one.size * 1.7, forceLabel: true, zIndex: 5 };
        if (isFound && !near.has(id)) return { ...one, color: faint(COLOURS[one.role], 0.18), label: "" };
        return { ...one, color: colour(COLOURS[one.role]) };
      },
      edgeReducer: (id, one) => {
        if (shown === null) return { ...one, color: faint("--edge", thin) };
        const isNear = graph.source(id) === String(shown) || graph.target(id) === String(shown);
        return isNear ? { ...one, color: colour("--accent"), size: 1.2, zIndex: 4 } : { ...one, hidden: true };
      },
    });
    sigma.on("clickNode", ({ node: id }) => show(Number(id)));
    sigma.on("clickStage", () => show(null));
    node.dataset.state = "drawn";
  }

  function describe(i) {
    const role = data.roles[data.role[i]];
    return `${data.id[i]}: ${role}, degree ${count(data.degree[i])}.`;
  }

  function show(i) {
    shown = i;
    near = new Set(i === null ? [] : graph.neighbors(i));
    found.textContent = i === null ? "" : describe(i);
    sigma?.refresh({ skipIndexation: true });
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
    sigma?.refresh();
  };
  scheme.addEventListener("change", recolour);
  requestAnimationFrame(start);
  return { node, find, end: () => (scheme.removeEventListener("change", recolour), sigma?.kill()) };
}
