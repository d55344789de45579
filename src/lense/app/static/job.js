// A job while it runs: its stages, the time left, and a button that stops it.
import { get, post } from "/static/asking.js";

const { html } = charts;
const EVERY = 500;
const section = document.getElementById("job");
const title = document.getElementById("job-title");
const state = document.getElementById("job-state");
const stages = document.getElementById("stages");
const box = document.getElementById("stages-box");
const stop = document.getElementById("stop");

const lasted = (seconds) => (seconds < 1 ? `${Math.round(1000 * seconds)} ms` : seconds < 120 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds / 60)} min`);

function spoken(job) {
  if (job.state === "waiting") return job.ahead ? `Waiting in line: ${job.ahead} before this one.` : "Waiting in line: this one is next.";
  if (job.state === "running") return `${job.stages.length ? "Running" : "Starting"} for ${lasted(job.seconds)}.`;
  if (job.state === "stopped") return "Stopped.";
  if (job.state === "failed") return job.error;
  return `Done in ${lasted(job.seconds)}.`;
}

function row(stage) {
  const left = stage.is_done ? lasted(stage.seconds) : stage.left === null ? `for ${lasted(stage.seconds)}` : `about ${lasted(stage.left)} left`;
  const bar = html("progress", { max: 1, "aria-label": stage.name });
  if (stage.share !== null) bar.value = stage.share;
  return html(
    "li",
    { class: `stage depth-${Math.min(stage.depth, 3)}${stage.is_done ? " is-done" : ""}` },
    html("span", { class: "name" }, stage.name),
    bar,
    html("span", { class: "left" }, left),
    html("span", { class: "said" }, stage.note),
  );
}

export function follow(id, { onFirst, onPartial, onDone, onOver, onMissing }) {
  let isOn = true;
  let isFirst = true;
  let known = "";
  stop.disabled = false;
  box.open = true;
  stop.onclick = async () => {
    stop.disabled = true;
    await post(`/api/jobs/${id}/stop`);
    look();
  };

  async function look() {
    let job;
    try {
      job = await get(`/api/jobs/${id}`);
    } catch (error) {
      if (!isOn) return;
      if (error.status === 404) return onMissing();
      state.textContent = error.message;
      setTimeout(look, 4 * EVERY);
      return;
    }
    if (!isOn) return;
    if (isFirst) onFirst(job);
    isFirst = false;
    show(job);
    if (job.partial && JSON.stringify(job.partial) !== known && job.state !== "done") {
      known = JSON.stringify(job.partial);
      onPartial(job.partial);
    }
    if (job.state === "waiting" || job.state === "running") setTimeout(look, EVERY);
    else {
      isOn = false;
      box.open = job.state !== "done";
      if (job.state === "done") onDone();
      else onOver();
    }
  }

  look();
  return { stop: () => (isOn = false) };
}

function show(job) {
  const isOver = !["waiting", "running"].includes(job.state);
  section.hidden = false;
  section.dataset.state = job.state;
  title.textContent = (job.kind === "compare" ? "Comparing pruners: " : "") + job.title;
  document.title = `${job.title}: ${job.state} - lense`;
  state.textContent = spoken(job);
  state.classList.toggle("bad", job.state === "failed");
  stages.replaceChildren(...job.stages.map(row));
  stop.parentElement.hidden = isOver;
}

export function hideJob() {
  section.hidden = true;
  document.title = "lense";
}
