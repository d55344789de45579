// The question: its graph, problem and target; what the graph is, and what to expect of the target.
import { get, post, upload } from "/static/asking.js";
import { drawCurve } from "/static/curve.js";

const { html, count } = charts;
const form = document.getElementById("question");
const fields = form.elements;
const seen = document.getElementById("seen");
const drop = document.getElementById("drop");
const dropped = document.getElementById("dropped");
const uploading = document.getElementById("uploading");
const all = (selector) => [...form.querySelectorAll(selector)];
const problem = () => fields.problem.selectedOptions[0];
const offered = (name) => JSON.parse(problem().dataset[name]);
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

let file = null; // the upload that counts: {upload, name}
let looked = null; // what is known of the graph
let looking = 0;
let expecting = 0;

function graphAsked() {
  switch (fields.origin.value) {
    case "given":
      return { kind: "given" };
    case "named":
      return { kind: "named", name: fields.graph.value };
    case "upload":
      if (!file) throw new Error("Drop a graph file first, or choose another graph.");
      return { kind: "upload", upload: file.upload };
    default: {
      const generator = fields.generator.value;
      const inputs = all(`[data-generator="${generator}"] input`);
      const settings = Object.fromEntries(inputs.map((input) => [input.name.split(".")[1], numberIn(input)]));
      return { kind: "generated", generator, settings, seed: numberIn(fields.seed) };
    }
  }
}

function numberIn(input) {
  const value = input.valueAsNumber;
  if (Number.isFinite(value)) return value;
  throw new Error(`${input.closest("label").firstChild.textContent.trim()} is a number: give one.`);
}

function readingAsked() {
  if (!["given", "upload"].includes(fields.origin.value)) return {};
  const directed = { yes: true, no: false }[fields.directed.value] ?? null;
  return { directed, columns: fields.columns.value.trim() || null, ids: fields.ids.value, weights: fields.weights.checked };
}

function asked(kind) {
  const question = {
    kind,
    graph: graphAsked(),
    reading: readingAsked(),
    problem: fields.problem.value,
    budget: numberIn(fields.budget),
    solver: fields.solver.value,
    seed: numberIn(fields.seed),
  };
  if (kind === "solve") return { ...question, target: numberIn(fields.target), way: fields.way.value, seconds: numberIn(fields.seconds) };
  const pruners = all("#rivals input:checked").map((input) => input.value);
  if (!pruners.length) throw new Error("Choose at least one pruner to compare.");
  return { ...question, pruners };
}

function showOrigin() {
  for (const part of all("[data-origin]")) part.hidden = part.dataset.origin !== fields.origin.value;
  for (const part of all("[data-generator]")) part.hidden = part.dataset.generator !== fields.generator.value;
  form.querySelector("[data-reading]").hidden = !["given", "upload"].includes(fields.origin.value);
}

const choice = (select, options) => {
  const before = select.value;
  select.replaceChildren(...options.map(([value, text]) => html("option", { value }, text)));
  if (options.some(([value]) => value === before)) select.value = before;
};

function showProblem() {
  choice(fields.solver, offered("solvers").map((name) => [name, name]));
  choice(fields.way, offered("ways").map(({ name, about }) => [name, about]));
  const boxes = offered("rivals").map(({ name, is_chosen: isChosen }) => {
    const box = html("input", { type: "checkbox", value: name });
    box.checked = isChosen;
    return html("label", { class: "check" }, box, ` ${name}`);
  });
  document.getElementById("rivals").replaceChildren(...boxes);
  showWay();
}

function showWay() {
  for (const part of all("[data-way]")) part.hidden = part.dataset.way !== fields.way.value;
}

// Read the graph in a job of its own, and say what it is. A later look replaces an earlier one.
async function look() {
  const mine = ++looking;
  looked = null;
  let id = null;
  try {
    const ask = { kind: "look", graph: graphAsked(), reading: readingAsked() };
    say("Reading the graph …");
    await wait(300);
    if (mine !== looking) return;
    ({ id } = await post("/api/jobs", ask));
    for (;;) {
      const job = await get(`/api/jobs/${id}`);
      if (mine !== looking) return void post(`/api/jobs/${id}/stop`);
      if (job.state === "failed") throw new Error(job.error);
      if (job.state === "stopped") return void look(); // by another window of the same user
      if (job.state === "done") break;
      await wait(400);
    }
    looked = await get(`/api/jobs/${id}/result`);
    if (mine !== looking) return;
    const kind = `${looked.directed ? "directed" : "undirected"}${looked.weighted ? ", weighted" : ""}`;
    say(`${count(looked.vertices)} vertices, ${count(looked.edges)} edges, ${kind}.`);
  } catch (error) {
    if (mine === looking) say(file || fields.origin.value !== "upload" ? error.message : "", true);
  }
  if (mine === looking) expect();
}

function say(sentence, isBad = false) {
  seen.textContent = sentence;
  seen.classList.toggle("bad", isBad);
}

// What the calibration of the core says of the target, before anything is solved.
async function expect() {
  const mine = ++expecting;
  const target = fields.target.valueAsNumber;
  document.getElementById("target-shown").textContent = target.toFixed(3);
  const budget = fields.budget.valueAsNumber;
  if (!(budget >= 1)) return;
  await wait(80);
  if (mine !== expecting) return;
  const about = document.getElementById("expected");
  try {
    const known = await get(`/api/expected?${new URLSearchParams({ problem: fields.problem.value, budget, target })}`);
    if (mine === expecting) about.textContent = drawCurve(known, target, looked);
  } catch (error) {
    if (mine === expecting) about.textContent = error.message;
  }
}

async function take(chosen) {
  if (!chosen) return;
  file = null;
  dropped.textContent = chosen.name;
  uploading.hidden = false;
  say("Sending the file …");
  try {
    file = await upload(chosen, (share) => (uploading.value = share));
    look();
  } catch (error) {
    say(error.message, true);
  }
  uploading.hidden = true;
  uploading.value = 0;
}

function listen({ onSolve, onCompare }) {
  const guarded = (action) => () => {
    try {
      action();
    } catch (error) {
      say(error.message, true);
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    onSolve();
  });
  document.getElementById("compare").addEventListener("click", onCompare);
  for (const input of all('[name="origin"], [name="generator"]')) input.addEventListener("change", guarded(() => (showOrigin(), look())));
  for (const name of ["graph", "directed", "columns", "ids", "weights"]) fields[name]?.addEventListener("change", look);
  for (const input of all("[data-generator] input")) input.addEventListener("change", look);
  fields.problem.addEventListener("change", () => (showProblem(), expect()));
  fields.way.addEventListener("change", showWay);
  fields.budget.addEventListener("input", expect);
  fields.target.addEventListener("input", expect);
  fields.file.addEventListener("change", () => take(fields.file.files[0]));
  for (const kind of ["dragenter", "dragover"]) drop.addEventListener(kind, (event) => (event.preventDefault(), drop.classList.add("over")));
  for (const kind of ["dragleave", "drop"]) drop.addEventListener(kind, () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => (event.preventDefault(), take(event.dataTransfer.files[0])));
}

// Fill the form with what a job was asked, as after a reload.
function show(ask, title) {
  fields.origin.value = ask.graph.kind;
  if (ask.graph.kind === "named") fields.graph.value = ask.graph.name;
  if (ask.graph.kind === "upload") {
    file = { upload: ask.graph.upload, name: title.split(" · ")[0] };
    dropped.textContent = file.name;
  }
  if (ask.graph.kind === "generated") {
    fields.generator.value = ask.graph.generator;
    for (const [name, value] of Object.entries(ask.graph.settings)) fields[`${ask.graph.generator}.${name}`].value = value;
  }
  fields.directed.value = { true: "yes", false: "no" }[ask.reading.directed] ?? "";
  fields.columns.value = ask.reading.columns ?? "";
  fields.ids.value = ask.reading.ids;
  fields.weights.checked = ask.reading.weights;
  fields.problem.value = ask.problem;
  showProblem();
  fields.solver.value = ask.solver;
  for (const name of ["budget", "seed", "target", "way", "seconds"]) if (name in ask) fields[name].value = ask[name];
  for (const box of all("#rivals input")) if (ask.pruners) box.checked = ask.pruners.includes(box.value);
  showWay();
  showOrigin();
  look();
}

export function setUpForm(actions) {
  listen(actions);
  showOrigin();
  showProblem();
  expect();
  if (!form.dataset.job) look();
  return { asked, show };
}
