// What keeps a drawing of 20,000 vertices smooth: no edges while it moves, and no waiting for the graphics to find what lies under the pointer.
const CELLS = 128;
const CALM = 150;
const { NodeCircleProgram, EdgeRectangleProgram } = Sigma.rendering;

// Vertices without the hidden second drawing by which sigma finds the one under the pointer: reading it waits for all drawing to end.
class Vertices extends NodeCircleProgram {
  constructor(gl, picking, renderer) {
    super(gl, null, renderer);
  }
}

// Edges that are left out while `isMoving()`.
const edgesUnless = (isMoving) =>
  class extends EdgeRectangleProgram {
    render(params) {
      if (!isMoving()) super.render(params);
    }
  };

// sigma's drawing of `graph`; with `isLarge`, edges come back once the camera has been still for a moment.
export function smoothSigma(graph, data, canvas, isLarge, settings) {
  let isMoving = false;
  let calm = null;
  const sigma = new Sigma(graph, canvas, {
    ...settings,
    nodeProgramClasses: { circle: Vertices },
    edgeProgramClasses: { line: edgesUnless(() => isMoving) },
  });
  const rest = () => {
    isMoving = false;
    sigma.scheduleRender();
  };
  if (isLarge)
    sigma.getCamera().on("updated", () => {
      isMoving = true;
      clearTimeout(calm);
      calm = setTimeout(rest, CALM);
    });
  sigma.on("kill", () => clearTimeout(calm));
  sigma.getNodeAtPosition = vertexUnder(sigma, graph, data);
  return sigma;
}

// The vertex drawn at a point of the canvas, or null: by a grid of places, so that its cost does not grow with the drawing.
function vertexUnder(sigma, graph, data) {
  const cell = (value) => Math.min(CELLS - 1, Math.max(0, Math.floor(((value + 1) / 2) * CELLS)));
  const cells = new Map();
  const key = (column, row) => column * CELLS + row;
  data.points.forEach(([x, y], i) => {
    const at = key(cell(x), cell(y));
    if (!cells.has(at)) cells.set(at, []);
    cells.get(at).push(i);
  });
  const size = (i) => graph.getNodeAttribute(i, "size");
  const largest = data.points.reduce((most, _, i) => Math.max(most, size(i)), 0);

  return (point) => {
    const most = sigma.scaleSize(largest);
    const [from, to] = [-most, most].map((step) => sigma.viewportToGraph({ x: point.x + step, y: point.y - step }));
    let best = null;
    for (let column = cell(from.x); column <= cell(to.x); column++)
      for (let row = cell(from.y); row <= cell(to.y); row++)
        for (const i of cells.get(key(column, row)) ?? []) {
          const { x, y } = sigma.graphToViewport({ x: data.points[i][0], y: data.points[i][1] });
          if (Math.hypot(x - point.x, y - point.y) <= sigma.scaleSize(size(i)) && (best === null || data.role[i] < data.role[best])) best = i;
        }
    return best === null ? null : String(best);
  };
}
