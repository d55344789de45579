"use strict";
// The page: each block of the data drawn by its kind.
(() => {
  const { html, svg, count, ratio, percent, figure, seconds, list } = charts;
  const { extent, scale, path, ticks, marker, at, legend, chart, axes } = charts;
  const page = document.documentElement;

  function block(kind, title, level, ...children) {
    return html("figure", { class: `block ${kind}` }, ...(title ? [html(level, {}, title)] : []), ...children);
  }

  const draws = {
    text(data) {
      return [html("div", { class: "block text" }, ...data.lines.map((line) => html("p", {}, line)))];
    },

    facts(data) {
      const details = html("details", {}, html("summary", {}, data.title), list(data.facts));
      details.open = data.open;
      return [html("div", { class: "block facts" }, details)];
    },

    image(data) {
      const picture = html("img", { alt: data.name, loading: "lazy" });
      picture.src = data.source;
      return [block("image", data.title, "h3", html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": data.name }, picture))];
    },

    table(data) {
      const body = html("tbody");
      const side = (column) => (data.words.includes(column) ? { class: "words" } : {});
      const order = (rows) =>
        body.replaceChildren(
          ...rows.map((row) =>
            html("tr", {}, ...row.map((text, i) => html(i ? "td" : "th", { ...(i ? {} : { scope: "row" }), ...side(i) }, text))),
          ),
        );
      const heads = data.columns.map((name, column) => {
        const head = html("th", { scope: "col", ...side(column) }, html("button", { type: "button" }, name));
        head.firstChild.addEventListener("click", () => {
          const falls = head.getAttribute("aria-sort") ? head.getAttribute("aria-sort") === "ascending" : column > 0;
          for (const other of heads) other.removeAttribute("aria-sort");
          head.setAttribute("aria-sort", falls ? "descending" : "ascending");
          order(sorted(data.rows, column, falls));
        });
        return head;
      });
      order(data.rows);
      const table = html("table", {}, html("thead", {}, html("tr", {}, ...heads)), body);
      const scroll = html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": data.title }, table);
      const note = data.note ? [html("p", { class: "note" }, data.note)] : [];
      return [html("div", { class: "block table" }, html("h3", {}, data.title), scroll, ...note)];
    },

    lines(data) {
      const known = data.series.flatMap((one) => one.points).filter(([, y]) => y !== null);
      const every = [...known, ...(data.faint ?? []).flatMap((one) => one.points)];
      const [low, high] = extent(every.map(([, y]) => y));
      const room = 0.06 * (high - low || Math.abs(high) || 1);
      const limits = [data.zero ? Math.min(0, low) : low - room, high + room];
      const draw = (canvas, width, height) => {
        const box = [52, width - 26, 10, height - 42];
        const x = scale(extent(every.map(([value]) => value)), box.slice(0, 2));
        const y = scale(limits, [box[3], box[2]]);
        const xTicks = ticks(...extent(every.map(([value]) => value)), width / 110).filter(Number.isInteger);
        axes(canvas, x, y, box, { x: data.x, xTicks, yTicks: ticks(...limits, 5) }, { x: count, y: figure });
        const line = (points) => path(points.filter(([, value]) => value !== null).map(([a, b]) => [x(a), y(b)]));
        for (const one of data.faint ?? []) canvas.append(svg("path", { class: "faint", d: line(one.points) }));
        data.series.forEach((one, i) => {
          canvas.append(svg("path", { class: "curve", d: line(one.points), ...pen(i) }));
          if (one.points.length <= 45) {
            for (const [a, b] of one.points.filter(([, value]) => value !== null)) {
              canvas.append(svg("circle", { cx: x(a), cy: y(b), r: 2.6, fill: pen(i).stroke }));
            }
          }
        });
        return data.series[0].points.map(([at, value], i) => ({
          x: x(at),
          y: value === null ? null : y(value),
          guide: [box[2], box[3]],
          text: () => [[data.x, count(at)], ...data.series.map((one) => [one.name, figure(one.points[i]?.[1] ?? null)])],
        }));
      };
      const { holder, redraw } = chart(data.title, () => 240, draw, data.link);
      const names = data.series.map((one, i) => [one.name, svg("path", { d: "M-9 0H9", "stroke-width": 2, ...pen(i) })]);
      return [block("lines", data.title, "h3", holder, ...(names.length > 1 ? [legend(names)] : [])), redraw];
    },

    map(data) {
      const walks = data.walks;
      const ways = walks ? [...walks.shown, ...walks.others.flat()] : [];
      const all = [...data.points, data.goal, ...ways];
      const limits = [0, 1].map((i) => extent(all.map((point) => point[i])));
      const size = Math.min(Math.max(1200 / data.points.length, 2.4), 4.2);
      const draw = (canvas, width, height) => {
        const x = scale(limits[0], [16, width - 16]);
        const y = scale(limits[1], [height - 16, 16]);
        const here = ([a, b]) => [x(a), y(b)];
        const samples = svg("g", { opacity: walks ? 0.8 : 0.95 });
        data.points.forEach(([a, b], i) => {
          samples.append(svg("circle", { class: "sample", cx: x(a).toFixed(1), cy: y(b).toFixed(1), r: size, fill: data.classes[data.labels[i] - 1].colour }));
        });
        canvas.append(samples);
        const spots = walks ? walked(canvas, here) : [];
        canvas.append(at(marker("*", 7, { class: "goal", fill: data.colours.goal }), ...here(data.goal)));
        return [
          ...spots,
          ...data.points.map((point, i) => ({
            x: x(point[0]),
            y: y(point[1]),
            pull: walks ? 2.5 : 1,
            text: () => [["sample of class", data.classes[data.labels[i] - 1].name]],
          })),
        ];
      };
      function walked(canvas, here) {
        const orange = data.colours.walk;
        for (const one of walks.others) canvas.append(svg("path", { class: "faint", d: path(one.map(here)) }));
        canvas.append(svg("path", { class: "walk", stroke: orange, d: path(walks.shown.map(here)) }));
        for (const place of walks.places) canvas.append(at(svg("circle", { class: "place", r: 3, fill: orange }), ...here(place.at)));
        canvas.append(at(marker("o", 5.5, { class: "end", fill: orange }), ...here(walks.places[0].at)));
        canvas.append(at(marker("s", 5.5, { class: "end", fill: orange }), ...here(walks.places.at(-1).at)));
        return walks.places.map((place) => ({
          x: here(place.at)[0],
          y: here(place.at)[1],
          text: () => textOfPlace(place),
        }));
      }
      const { holder, redraw } = chart("Map of subgraphs", (width) => Math.min(Math.max(0.56 * width, 280), 560), draw, walks ? data.link : null);
      const names = data.classes.filter((one) => one.known).map((one) => [`class ${one.name}`, marker("o", 5, { class: "sample", fill: one.colour })]);
      names.push(["goal", marker("*", 5, { class: "goal", fill: data.colours.goal })]);
      if (walks) {
        names.push(["start of the walk", marker("o", 5, { class: "end", fill: data.colours.walk })]);
        names.push(["its end", marker("s", 5, { class: "end", fill: data.colours.walk })]);
      }
      return [block("map", data.title, "h3", holder, legend(names)), redraw];
    },

    fronts(data) {
      const look = (name) => ({ kind: data.looks[name][1], fill: data.looks[name][0] });
      // hollow, since many pruners may have the same place
      const paint = (kind, colour) => (kind === "*" ? { fill: colour } : { fill: "none", stroke: colour, "stroke-width": 1.4 });
      const panels = data.panels.filter((panel) => panel.points.length).map((panel) => {
        const draw = (canvas, width, height) => {
          const box = [44, width - 22, 12, height - 44];
          const x = scale([0, 1], box.slice(0, 2));
          const y = scale([0, 1], [box[3], box[2]]);
          const named = (values) => { const texts = new Map(values); return (value) => texts.get(value); };
          const names = { x: panel.x, xTicks: panel.xTicks.map(([place]) => place), yTicks: panel.yTicks.map(([place]) => place) };
          axes(canvas, x, y, box, names, { x: named(panel.xTicks), y: named(panel.yTicks) });
          canvas.append(svg("path", { class: "stairs", d: stairs(panel, x, y, box) }));
          const marks = svg("g", { class: "marks" });
          canvas.append(marks);
          return panel.points.map((point) => {
            const [a, b] = [x(point.x), y(point.y)];
            const { kind, fill } = look(point.look);
            if (point.ratio_stderr !== null && !point.is_below) {
              const [low, high] = point.error.map(y);
              marks.append(svg("path", { d: `M${a} ${high}V${low}`, stroke: fill }));
            }
            marks.append(at(marker(kind, point.pruner === point.look ? 4.6 : 2.6, paint(kind, fill)), a, b));
            return { x: a, y: b, text: () => textOf(point) };
          });
        };
        const { holder, redraw } = chart(panel.title, () => 340, draw, null);
        return { node: html("div", {}, html("h4", {}, panel.title), holder), redraw };
      });
      const names = Object.keys(data.looks).map((name) => [name, marker(look(name).kind, 5, paint(look(name).kind, look(name).fill))]);
      names.push(["front", svg("path", { class: "stairs", d: "M-9 -4H0V4H9" })]);
      const grid = html("div", { class: "panels" }, ...panels.map((panel) => panel.node));
      return [block("fronts", data.title, "h3", grid, legend(names)), ...panels.map((panel) => panel.redraw)];
    },

    drawing(data) {
      const sizes = [5.2, 5.2, 3.6, 2.4];
      const kinds = ["D", "s", "o", "o"];
      const draw = (canvas, width, height) => {
        const half = Math.min(width, height) / 2 - 10;
        const here = data.points.map(([a, b]) => [width / 2 + half * a, height / 2 - half * b]);
        const d = data.edges.map(([a, b]) => path([here[a], here[b]])).join("");
        canvas.append(svg("path", { class: "links", d }));
        for (const role of [3, 2, 1, 0]) {
          data.role.forEach((one, i) => {
            if (one === role) canvas.append(at(marker(kinds[role], sizes[role], { class: `vertex role-${role}` }), ...here[i]));
          });
        }
        return here.map(([x, y], i) => ({
          x,
          y,
          text: () => [
            ["id", data.id[i]],
            ["role", data.roles[data.role[i]]],
            ["degree", count(data.degree[i])],
            ["degree in the subgraph", count(data.degree_here[i])],
          ],
        }));
      };
      const { holder, redraw } = chart("Pruned subgraph", (width) => Math.min(width, 680), draw, null);
      const known = data.roles.map((name, role) => [name, role]).filter(([, role]) => data.role.includes(role));
      const names = known.map(([name, role]) => [name, marker(kinds[role], sizes[role], { class: `vertex role-${role}` })]);
      return [block("drawing", data.title, "h3", holder, legend(names), html("figcaption", {}, data.caption)), redraw];
    },
  };

  const pen = (i) => ({ stroke: `var(--line-${1 + (i % 2)})`, "stroke-dasharray": i ? "6 3" : null });

  // Each point of the front ends a stair: whatever lies below the stairs is beaten.
  function stairs(panel, x, y, [left, , , bottom]) {
    const front = panel.points.filter((point) => point.front).sort((a, b) => a.share - b.share);
    if (!front.length) return "";
    const steps = front.map((point) => `V${y(point.y)}H${x(point.x)}`);
    return `M${left} ${y(front[0].y)}${steps.join("")}V${bottom}`;
  }

  function textOfPlace(place) {
    const lines = [
      ["step", place.step, count],
      ["ratio", place.ratio, ratio],
      ["vertices", place.vertices, count],
      ["edges", place.edges, count],
      ["distance to the goal", place.distance, figure],
    ];
    return lines.filter(([, value]) => value !== null && value !== undefined).map(([name, value, write]) => [name, write(value)]);
  }

  function textOf(point) {
    const error = point.ratio_stderr === null ? "" : ` ± ${ratio(point.ratio_stderr)}`;
    return [
      ["pruner", point.pruner],
      ["ratio", ratio(point.ratio) + error],
      ["vertices pruned", percent(point.vertices_pruned)],
      ["edges pruned", percent(point.edges_pruned)],
      ["to fit", seconds(point.fit_seconds)],
      ["to prune", seconds(point.prune_seconds)],
      ["to solve", seconds(point.solve_seconds)],
    ];
  }

  const UNITS = { ms: 1e-3, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

  // The first number of a cell such as "0.975 ± 0.008 *", "43.0 %" or "692 KiB" in its smallest unit, or null.
  function numberOf(cell) {
    const found = /^\s*(?:at most )?(-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)\s*(\w+)?/.exec(cell);
    return found && Number(found[1].replaceAll(",", "")) * (UNITS[found[2]] ?? 1);
  }

  // Cells without a number stay at the end, whichever way a column of numbers is sorted.
  function sorted(rows, column, falls) {
    const keyed = rows.map((row) => [numberOf(row[column]), row]);
    const [known, rest] = [keyed.filter(([key]) => key !== null), keyed.filter(([key]) => key === null)];
    const sign = falls ? -1 : 1;
    known.sort(([a], [b]) => sign * (a - b));
    if (!known.length) rest.sort(([, a], [, b]) => sign * a[column].localeCompare(b[column]));
    return [...known, ...rest].map(([, row]) => row);
  }

  // A section's elements, and what draws its charts once they are on the page.
  function drawnPart(part, level) {
    const blocks = html("div", { class: "blocks" });
    const redraws = [];
    for (const one of part.blocks) {
      const [node, ...mine] = draws[one.kind](one);
      blocks.append(node);
      redraws.push(...mine);
    }
    const lead = part.lead ? [html("p", { class: "lead" }, part.lead)] : [];
    return [[html(level, {}, part.title), ...lead, blocks], redraws];
  }

  globalThis.blocks = { drawnPart, draws };
  if (!document.getElementById("data")) return; // another page draws blocks as they come
  const data = JSON.parse(document.getElementById("data").textContent);
  document.querySelector("h1").textContent = data.title;
  document.querySelector("header .lead").textContent = data.lead;
  const main = document.querySelector("main");
  const draw = [];
  const links = data.sections.map((part, i) => {
    const [nodes, redraws] = drawnPart(part, "h2");
    main.append(html("section", { id: `part-${i}` }, ...nodes));
    draw.push(...redraws);
    return html("li", {}, html("a", { href: `#part-${i}` }, part.title));
  });
  if (links.length > 1) document.querySelector("nav").append(html("ul", {}, ...links));
  for (const one of draw) one();
  window.addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
  if (page.dataset.state !== "failed") page.dataset.state = "ready";
})();
