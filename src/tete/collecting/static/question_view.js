// One question on the screen: made ahead of time, shown at once, and the choice made with mouse, finger or keys.

import { keycap, make, text } from "./elements.js";
import { showItem } from "./media.js";

const TOO_SOON = 150; // milliseconds: nobody sees and answers as fast, so it was meant for the question before
const KEYS = 10; // digits on a keyboard

export class QuestionView {
  /** `kind` is the study's question; `choose(places, milliseconds)` is told the choice, `changed()` each pick. */
  constructor(question, kind, { choose, changed }) {
    this.question = question;
    this.kind = kind;
    this.listeners = { choose, changed };
    this.picks = [];
    this.paintedAt = null; // a browser's clock, in milliseconds
    this.pressedAt = null;
    this.over = false;
    this.unplayed = new Set();
    this.players = [];
    this.waitFor = [];
    this.choices = question.choices.map((item, place) => this.#choice(item, place));
    const parts = this.choices.map(({ card }) => card);
    if (question.anchor) parts.unshift(this.#anchor(question.anchor));
    this.element = make("div", { className: `stage ${this.#layout()}`, role: "group", tabIndex: -1 }, ...parts);
    this.element.dataset.question = question.question;
    this.ready = Promise.all(this.waitFor);
  }

  #layout() {
    const { kind, choices } = this.kind;
    return kind === "pick" ? `pick of-${choices}` : kind;
  }

  #content(item) {
    const { element, ready, player } = showItem(item);
    this.waitFor.push(ready);
    if (player) this.#watch(player, ready);
    return element;
  }

  #anchor(item) {
    const label = make("span", { className: "unseen" }, text("anchor"));
    return make("div", { className: `card anchor ${item.kind}` }, label, this.#content(item));
  }

  #choice(item, place) {
    const cap = place < KEYS ? keycap(String((place + 1) % KEYS)) : "";
    const order = make("span", { className: "order", "aria-hidden": "true" });
    const content = this.#content(item);
    const plays = item.kind === "sound" || item.kind === "film";
    const label = plays ? [text("choose", { place: place + 1 })] : [content];
    const press = make("button", { type: "button", className: plays ? "choose" : "card choice" }, cap, ...label, order);
    press.dataset.place = place;
    if (place < KEYS) press.setAttribute("aria-keyshortcuts", String((place + 1) % KEYS));
    if (this.kind.picks > 1) press.setAttribute("aria-pressed", "false");
    press.addEventListener("pointerdown", (event) => (this.pressedAt = event.timeStamp));
    press.addEventListener("click", (event) => {
      const at = event.detail > 0 && this.pressedAt !== null ? this.pressedAt : event.timeStamp;
      this.pick(place, at);
    });
    if (!plays) press.classList.add(item.kind);
    const around = { className: `card choice ${item.kind}` };
    return { press, order, card: plays ? make("div", around, content, press) : press };
  }

  /** Sounds and films are to be played once to their end before anything can be chosen; one plays at a time. */
  #watch(player, ready) {
    this.players.push(player);
    this.unplayed.add(player);
    const done = () => {
      this.unplayed.delete(player);
      this.listeners.changed();
    };
    player.addEventListener("ended", done);
    player.addEventListener("play", () => {
      for (const other of this.players) if (other !== player) other.pause();
    });
    ready.then((works) => works || done());
  }

  /** Play what was not played yet, in turn; when all were, the first again. */
  playNext() {
    const playing = this.players.find((player) => !player.paused);
    if (playing) playing.pause();
    else (this.players.find((player) => this.unplayed.has(player)) ?? this.players[0])?.play().catch(() => {});
  }

  /** Begin again, as it was when it was made. */
  reset() {
    this.over = false;
    this.paintedAt = null;
    this.#setPicks([]);
    this.element.classList.remove("judged");
    for (const { card } of this.choices) card.classList.remove("expected", "mistaken");
  }

  /** To be called right after the question was put on the page: the clock runs from the frame that shows it. */
  shown(prompt) {
    this.element.setAttribute("aria-label", prompt);
    this.element.focus({ preventScroll: true });
    requestAnimationFrame((frame) => (this.paintedAt = frame));
  }

  get canChoose() {
    return !this.over && this.unplayed.size === 0;
  }

  pick(place, at) {
    if (!this.canChoose || !this.choices[place] || this.#tooSoon(at)) return;
    const picked = this.picks.includes(place);
    this.#setPicks(picked ? this.picks.filter((each) => each !== place) : [...this.picks, place]);
    if (this.picks.length === this.kind.picks) this.#finish(this.picks, at);
  }

  cannotSay(at) {
    if (!this.over && !this.#tooSoon(at)) this.#finish(null, at);
  }

  /** Take the last pick back; whether there was one. */
  unpick() {
    if (this.over || this.picks.length === 0) return false;
    this.#setPicks(this.picks.slice(0, -1));
    return true;
  }

  #tooSoon(at) {
    return this.paintedAt === null || at - this.paintedAt < TOO_SOON;
  }

  #setPicks(picks) {
    this.picks = picks;
    this.choices.forEach(({ press, order }, place) => {
      const rank = picks.indexOf(place);
      if (this.kind.picks > 1) press.setAttribute("aria-pressed", String(rank >= 0));
      order.textContent = rank < 0 ? "" : this.kind.ranked ? String(rank + 1) : "✓";
    });
    this.listeners.changed();
  }

  #finish(picks, at) {
    this.over = true;
    for (const player of this.players) player.pause();
    this.listeners.choose(picks, Math.round(10 * (at - this.paintedAt)) / 10);
  }

  /** After a practice question: mark what was expected; whether it was chosen. */
  judge(picks) {
    const right = this.question.right ?? [];
    const good = picks !== null && right.every((place) => picks.includes(place));
    this.element.classList.add("judged");
    for (const place of right) this.choices[place]?.card.classList.add("expected");
    for (const place of picks ?? []) if (!right.includes(place)) this.choices[place].card.classList.add("mistaken");
    return good;
  }

  /** Move the focus to the nearest choice in the direction of an arrow key. */
  move(key) {
    const buttons = this.choices.map(({ press }) => press);
    const here = buttons.indexOf(document.activeElement);
    const middles = buttons.map((each) => {
      const box = each.getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2];
    });
    const [along, sign] = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [1, -1], ArrowDown: [1, 1] }[key];
    if (here < 0) {
      const outwards = middles.map((middle) => middle[along] * sign); // of two or three, the one on that side
      buttons[buttons.length <= 3 ? outwards.indexOf(Math.max(...outwards)) : 0].focus();
      return;
    }
    const cost = ([x, y]) => {
      const steps = [x - middles[here][0], y - middles[here][1]];
      return steps[along] * sign < 1 ? Infinity : Math.abs(steps[along]) + 4 * Math.abs(steps[1 - along]);
    };
    const costs = middles.map(cost);
    const best = costs.indexOf(Math.min(...costs));
    if (costs[best] < Infinity) buttons[best].focus();
  }
}

