// The table of people: rows stay the same elements while their numbers change, so that nothing jumps under a hand.

import { button, find, make } from "./elements.js";

const MOST_ROWS = 200;
const FEW_CATCH = 0.75; // of catch questions answered as everybody would
const FEW_SAME = 0.5; // of repeated questions answered the same
const MANY_FAST = 0.3; // of answers given sooner than anybody looks

const share = (part, whole) => (whole ? part / whole : null);
const percent = (value) => (value === null || value === undefined ? "–" : `${Math.round(100 * value)} %`);

/** In words: what is meant, and when it is said of somebody. */
export const FLAGS = {
  "misses catch questions": `fewer than ${percent(FEW_CATCH)} of two or more catch questions answered as expected`,
  "changes answers": `fewer than ${percent(FEW_SAME)} of four or more repeated questions answered the same again`,
  "very fast": `more than ${percent(MANY_FAST)} of the answers within 0.4 s`,
  "at chance": "the trust report: the answers agree with everybody else's no better than guesses",
  reversed: "the trust report: the answers are the opposite of everybody else's",
};

export function flagsOf(person) {
  const found = [];
  const { catch: caught, repeat } = person;
  if (caught.asked >= 2 && caught.right / caught.asked < FEW_CATCH) found.push("misses catch questions");
  if (repeat.asked >= 4 && repeat.same / repeat.asked < FEW_SAME) found.push("changes answers");
  if (person.fast_share > MANY_FAST) found.push("very fast");
  if (person.verdict === "at chance" || person.verdict === "reversed") found.push(person.verdict);
  return found;
}

function ago(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 60) return "now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h ago` : `${Math.floor(seconds / 86_400)} d ago`;
}

const agreementOf = ({ agreement, expected }) =>
  agreement === null ? "–" : `${percent(agreement)} (${percent(expected)})`;
const secondsOf = ({ median_ms: median }) => (median === null ? "–" : `${(median / 1000).toFixed(1)} s`);
const ofAsked = (good, asked) => (asked ? `${good} of ${asked}` : "–");

// Title, what to sort by, and what to show.
const COLUMNS = [
  ["Person", (each) => each.person, (each) => each.name],
  ["Status", (each) => each.status, (each) => (each.excluded ? `${each.status}, excluded` : each.status)],
  ["Answers", (each) => each.answered, (each) => `${each.answered} of ${each.total}`],
  ["Time", (each) => each.median_ms, secondsOf],
  ["Catch", (each) => share(each.catch.right, each.catch.asked), (each) => ofAsked(each.catch.right, each.catch.asked)],
  ["Repeats", ({ repeat }) => share(repeat.same, repeat.asked), ({ repeat }) => ofAsked(repeat.same, repeat.asked)],
  ["Agreement (expected)", (each) => each.agreement, agreementOf],
  ["Verdict", (each) => each.verdict ?? "", (each) => each.verdict ?? "–"],
  ["Flags", (each) => flagsOf(each).length, (each) => flagsOf(each).join(", ") || "none"],
  ["Seen", (each) => each.seconds_since_seen, (each) => ago(each.seconds_since_seen)],
];
const NUMBERS = new Set(["Answers", "Time", "Catch", "Repeats", "Agreement (expected)"]);

export class PeopleTable {
  /** `act(action, person)` is told what is to be done. */
  constructor(act) {
    this.act = act;
    this.rows = new Map();
    this.people = [];
    this.sorted = { column: 0, down: true };
    this.most = MOST_ROWS;
    this.headings = COLUMNS.map(([title], column) => {
      const press = button(title, () => this.sortBy(column));
      return make("th", { scope: "col", className: NUMBERS.has(title) ? "number" : "" }, press);
    });
    const actions = make("th", { scope: "col", className: "acts" }, make("span", { className: "unseen" }, "Actions"));
    this.body = make("tbody");
    find("people").append(make("thead", {}, make("tr", {}, ...this.headings, actions)), this.body);
    for (const id of ["find", "flagged"]) find(id).addEventListener("input", () => this.show(this.people));
    const meanings = Object.entries(FLAGS).flatMap(([name, said]) => [make("dt", {}, name), make("dd", {}, said)]);
    find("flags").append(...meanings);
  }

  sortBy(column) {
    const { sorted } = this;
    this.sorted = { column, down: sorted.column === column ? !sorted.down : false };
    this.show(this.people);
  }

  show(people) {
    this.people = people;
    const { column, down } = this.sorted;
    this.headings.forEach((heading, at) =>
      heading.setAttribute("aria-sort", at === column ? (down ? "descending" : "ascending") : "none"),
    );
    const wanted = find("find").value.trim().toLowerCase();
    const matching = people.filter(
      (each) =>
        (!wanted || each.name.includes(wanted) || each.source.toLowerCase().includes(wanted)) &&
        (!find("flagged").checked || flagsOf(each).length > 0),
    );
    const [, by] = COLUMNS[column];
    const ordered = matching.sort((one, other) => this.#compare(by(one), by(other), down) || one.person - other.person);
    this.#fill(ordered.slice(0, this.most));
    this.#tellMore(ordered.length);
  }

  /** What is not known comes last, in either direction. */
  #compare(one, other, down) {
    if (one === other) return 0;
    if (one === null || one === undefined) return 1;
    if (other === null || other === undefined) return -1;
    return (one < other ? -1 : 1) * (down ? -1 : 1);
  }

  #fill(people) {
    const rows = people.map((each) => this.#row(each));
    const same = rows.length === this.body.children.length && rows.every((row, at) => row === this.body.children[at]);
    if (!same) {
      const focused = document.activeElement;
      this.body.replaceChildren(...rows);
      if (this.body.contains(focused)) focused.focus();
    }
    const shown = new Set(people.map((each) => each.person));
    for (const person of [...this.rows.keys()]) if (!shown.has(person)) this.rows.delete(person);
  }

  #row(person) {
    if (!this.rows.has(person.person)) this.rows.set(person.person, this.#made(person));
    const { row, cells, judge } = this.rows.get(person.person);
    COLUMNS.forEach(([, , show], at) => {
      const shown = show(person);
      if (cells[at].textContent !== shown) cells[at].textContent = shown;
    });
    row.classList.toggle("excluded", person.excluded);
    row.classList.toggle("flagged", flagsOf(person).length > 0);
    judge.textContent = person.excluded ? "Include" : "Exclude";
    judge.setAttribute("aria-label", `${judge.textContent} ${person.name}`);
    judge.dataset.action = person.excluded ? "include" : "exclude";
    cells[0].title = person.source === "page" ? "" : person.source;
    return row;
  }

  #made(person) {
    const cells = COLUMNS.map(([title], at) => {
      const className = NUMBERS.has(title) ? "number" : title === "Flags" ? "flags" : "";
      return at === 0 ? make("th", { scope: "row" }) : make("td", { className });
    });
    const judge = button("", () => this.act(judge.dataset.action, person), { className: "small" });
    const label = { className: "small", "aria-label": `Forget ${person.name}` };
    const forget = button("Forget…", () => this.act("forget", person), label);
    const acts = make("td", { className: "acts" }, make("div", {}, judge, forget));
    return { row: make("tr", {}, ...cells, acts), cells, judge };
  }

  #tellMore(count) {
    const line = find("people-more");
    if (count > this.most) {
      const more = button("Show all", () => {
        this.most = Infinity;
        this.show(this.people);
      });
      if (line.dataset.count === String(count)) return;
      line.replaceChildren(`${this.most} of ${count.toLocaleString("en")} people are shown. `, more);
    } else {
      line.replaceChildren(this.people.length === 0 ? "Nobody has started yet." : count === 0 ? "Nobody matches." : "");
    }
    line.dataset.count = String(count);
  }
}
