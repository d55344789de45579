// The page: a question is asked, its job followed, its answer shown. The address names the job, so that a reload shows it again.
import { setUpForm } from "/static/form.js";
import { post, get } from "/static/asking.js";
import { follow, hideJob } from "/static/job.js";
import { showResult, clearResult } from "/static/answer.js";

const { html } = charts;
const refused = document.getElementById("refused");
const form = setUpForm({ onSolve: () => ask("solve"), onCompare: () => ask("compare") });
let following = null;

function refuse(sentence) {
  refused.textContent = sentence;
  refused.hidden = !sentence;
}

async function ask(kind) {
  refuse("");
  try {
    const { id } = await post("/api/jobs", form.asked(kind));
    history.pushState({}, "", `/job/${id}`);
    open(id, true);
  } catch (error) {
    refuse(error.message);
  }
}

function open(id, isNew) {
  following?.stop();
  clearResult();
  following = follow(id, {
    onFirst: (job) => isNew || form.show(job.ask, job.title),
    onPartial: (blocks) => showResult(id, { kind: "partial", blocks }),
    onDone: async () => {
      showResult(id, await get(`/api/jobs/${id}/result`));
      listEarlier();
    },
    onOver: listEarlier,
    onMissing: () => location.assign("/"),
  });
  if (isNew) document.getElementById("job-title").focus();
}

async function listEarlier() {
  const jobs = await get("/api/jobs");
  const here = location.pathname.split("/")[2];
  const others = jobs.filter((job) => job.id !== here);
  const item = (job) => html("li", {}, html("a", { href: `/job/${job.id}` }, `${job.kind === "compare" ? "Compared: " : ""}${job.title}`), ` ${job.state}`);
  const section = document.getElementById("earlier");
  section.querySelector("ul").replaceChildren(...others.map(item));
  section.hidden = !others.length;
}

function openNamed() {
  const id = location.pathname.split("/")[2];
  if (id) open(id, false);
  else {
    following?.stop();
    clearResult();
    hideJob();
  }
  listEarlier();
}

window.addEventListener("popstate", openNamed);
openNamed();
document.documentElement.dataset.state = "ready";
