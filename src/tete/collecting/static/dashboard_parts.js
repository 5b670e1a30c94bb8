// What the dashboard shows, part by part. Each changes the page only where it would say something else.

import { interval, learningCurve } from "./chart.js";
import { find, make } from "./elements.js";

const STATES = { open: "Open: people can start and answer", paused: "Paused: no new questions", closed: "Closed" };
const ROLES = {
  practice: "practice",
  catch: "catch (the answer is known)",
  repeat: "asked again",
  test: "test (random, never used to choose others)",
  balanced: "balanced random",
  suggested: "suggested by the planner",
  swapped: "places swapped (programs)",
};
const PLANNER = { running: "Planner: running.", starting: "Planner: starting.", died: "Planner: not running." };
const NO_PLANNER =
  "The planner is not running. People notice nothing: their questions are balanced random until it is back.";
const KEPT = "People's browsers keep their answers and send them again.";
const ENOUGH = "More answers hardly pay any more.";

const count = (value) => Number(value).toLocaleString("en");
const percent = (share) => `${(100 * share).toFixed(1)}\u00a0%`;
const range = ({ low, high }) => `${percent(low)} to ${percent(high)}`;
const seconds = (ms) => (ms === null ? "–" : `${(ms / 1000).toFixed(1)} s`);

const faint = (said) => make("p", { className: "faint" }, said);

/** Change what is inside only where it would say something else. */
function fill(id, key, ...children) {
  const place = find(id);
  const said = JSON.stringify(key);
  if (place.dataset.said === said) return;
  place.dataset.said = said;
  place.replaceChildren(...children.filter((child) => child !== null));
}

export function showHead(state) {
  document.title = state.title ? `${state.title} – dashboard` : "Dashboard";
  find("title").textContent = state.title || "A study of similarity";
  find("about").textContent = `${state.question}, ${count(state.n_items)} items`;
  find("state").textContent = STATES[state.state] ?? state.state;
  find("state").className = state.state;
  find("open").disabled = state.state === "open";
  find("pause").disabled = state.state !== "open";
  find("close").disabled = state.state === "closed";
  const { people } = state.addresses;
  if (find("people-address").textContent !== people) find("people-address").textContent = people; // it may be selected
}

export function showNotices(state, trouble) {
  const notices = [];
  if (trouble) notices.push(["bad", trouble]);
  if (state?.storage) notices.push(["bad", `${state.storage} ${KEPT}`]);
  if (state?.planner.state === "died") notices.push(["warn", NO_PLANNER]);
  for (const warning of state?.findings?.warnings ?? []) notices.push(["warn", warning]);
  if (state?.findings?.curve?.enough) notices.push(["good", `${ENOUGH} ${state.findings.curve.sentence}.`]);
  fill("notices", notices, ...notices.map(([kind, said]) => make("p", { className: `notice ${kind}` }, said)));
}

function tile(value, label, more = "") {
  const parts = [make("strong", {}, value), make("span", {}, label), make("small", {}, more)];
  return make("div", { className: "tile" }, ...parts);
}

export function showTiles({ people, answers, median_ms: median, mentions }) {
  const left = [`${count(people.left)} left`];
  if (people.withdrew) left.push(`${count(people.withdrew)} withdrew`);
  if (people.excluded) left.push(`${count(people.excluded)} excluded`);
  const cannotSay = answers.total ? `${percent(answers.cannot_say / answers.total)} cannot say` : "";
  const all = [
    [count(people.active), "active now", `${count(people.started)} started`],
    [count(people.finished), "finished", left.join(", ")],
    [count(answers.total), "answers", cannotSay],
    [count(answers.per_minute), "answers a minute", ""],
    [seconds(median), "median response time", ""],
    [count(mentions.least), "mentions of the rarest item", `median ${count(mentions.median)}`],
  ];
  fill("tiles", all, ...all.map((each) => tile(...each)));
}

export function showQuality(findings) {
  const { held_out: held, wrong_share: wrong, answers } = findings ?? {};
  const parts = [];
  if (held) {
    parts.push(
      make("p", { className: "big" }, percent(held.accuracy), make("span", {}, "held-out accuracy")),
      make("p", {}, `of ${count(held.n)} test answers that the map never saw; 95\u00a0% interval ${range(held)}.`),
      interval(held),
    );
  } else {
    parts.push(faint("Held-out accuracy is shown as soon as there are enough test answers."));
  }
  if (wrong) parts.push(faint(`An estimated ${percent(wrong.share)} of all answers are wrong (${range(wrong)}).`));
  if (findings) parts.push(faint(`From ${count(answers)} answers.`));
  fill("quality", [held, wrong, answers], ...parts);
}

export function showCurve(findings) {
  const curve = findings?.curve;
  if (!curve?.points?.length) {
    fill("curve", null, faint("The learning curve is drawn as soon as there are enough answers."));
    return;
  }
  const hint = curve.enough ? make("p", { className: "enough" }, `${ENOUGH} You may close the study.`) : null;
  fill("curve", curve, learningCurve(curve.points), make("p", {}, `${curve.sentence}.`), hint);
}

function bar(share) {
  const made = make("span", { className: "share", "aria-hidden": "true" });
  made.style.setProperty("--share", String(share));
  return made;
}

export function showAsked({ planner, answers }) {
  const total = Object.values(answers.by_role).reduce((sum, each) => sum + each, 0);
  const roles = Object.entries(ROLES).filter(([role]) => answers.by_role[role]);
  const rows = roles.flatMap(([role, said]) => {
    const value = answers.by_role[role];
    return [make("dt", {}, said), make("dd", {}, bar(value / total), count(value))];
  });
  const ready = `Questions at hand: ${count(planner.proposals)}.`;
  const state = make("strong", {}, PLANNER[planner.state] ?? planner.state);
  const line = make("p", { className: `planner ${planner.state}` }, state, ` ${planner.sentence ?? ""} `, ready);
  fill("asked", [answers.by_role, line.textContent], line, make("dl", { className: "roles" }, ...rows));
}

/** The map is loaded once and then when asked: somebody may be looking at it. */
export class MapFrame {
  constructor() {
    this.shownAnswers = null;
    this.latest = null;
    find("newer").addEventListener("click", () => this.load());
  }

  update({ has_map: has, findings }) {
    this.latest = findings?.answers ?? null;
    if (has && find("map").hidden) this.load();
    find("newer").hidden = !has || this.latest === this.shownAnswers;
    if (!has) find("map-said").textContent = "There is no map yet: it is made from the first answers.";
  }

  load() {
    this.shownAnswers = this.latest;
    find("map").src = "dashboard/map";
    find("map").hidden = false;
    find("newer").hidden = true;
    find("map-said").textContent = "An object lies within its ellipse with a probability of 90 %.";
  }
}
