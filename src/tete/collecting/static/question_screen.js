// The frame around questions: what is asked, the buttons below, and the keys.

import { button, find, keycap, make, text } from "./elements.js";

const ARROWS = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]);

/** What is asked, in the page's words. */
export function promptOf({ kind, picks, ranked }) {
  if (kind === "triplet") return text("ask_triplet");
  if (kind === "odd-one-out") return text("ask_odd_one_out");
  if (picks === 1) return text("ask_pick_one");
  return text(ranked ? "ask_ranked" : "ask_pick", { picks });
}

/** The place of a digit key, also where digits need Shift; -1 for other keys. */
function placeOf(event) {
  const digit = /^[0-9]$/.test(event.key) ? event.key : event.code.match(/^(?:Digit|Numpad)([0-9])$/)?.[1];
  return digit === undefined ? -1 : (Number(digit) + 9) % 10;
}

export class QuestionScreen {
  constructor(kind, { undo }) {
    this.kind = kind;
    this.undo = undo;
    this.view = null;
    this.goOn = null; // what to do after the feedback of a practice question
    this.prompt = make("h1", { className: "prompt" }, promptOf(kind));
    this.slot = make("div", { className: "slot" });
    this.hint = make("p", { className: "hint", "aria-live": "polite" });
    this.undoButton = button(text("undo"), () => this.takeBack(), { className: "plain" });
    this.undoButton.append(keycap(text("key_backspace")));
    const cannotSay = (event) => this.view.cannotSay(event.timeStamp);
    this.cannotSayButton = button(text("cannot_say"), cannotSay, { className: "plain" });
    this.cannotSayButton.append(keycap(text("key_space")));
    this.buttons = make("div", { className: "buttons" }, this.undoButton, this.hint, this.cannotSayButton);
    this.verdict = make("p", { className: "verdict" });
    this.goOnButton = button(text("continue"), () => this.goOn(), { className: "main" });
    this.feedback = make("div", { className: "buttons feedback", hidden: true }, this.verdict, this.goOnButton);
    this.element = make("section", { className: "asking" }, this.prompt, this.slot, this.buttons, this.feedback);
    document.addEventListener("keydown", (event) => this.#key(event));
    document.addEventListener("keyup", (event) => this.#released(event));
  }

  get isShown() {
    return this.element.isConnected;
  }

  /** Put a question on the screen: little else happens here, since a person waits for it. */
  show(view, canUndo) {
    this.view = view;
    this.goOn = null;
    this.slot.replaceChildren(view.element);
    this.buttons.hidden = false;
    this.feedback.hidden = true;
    this.update(canUndo);
    if (!this.isShown) find("page").replaceChildren(this.element);
    view.shown(this.prompt.textContent);
  }

  update(canUndo) {
    if (!this.view) return;
    this.canUndo = canUndo;
    this.undoButton.disabled = !canUndo && this.view.picks.length === 0;
    const { picks } = this.kind;
    const chosen = picks > 1 ? text("chosen", { picked: this.view.picks.length, picks }) : "";
    const hint = this.view.unplayed.size ? [text("play_first"), keycap("P")] : [chosen];
    if (!this.hint.textContent.startsWith(hint[0]) || !hint[0]) this.hint.replaceChildren(...hint);
  }

  takeBack() {
    if (this.view.unpick()) this.update(this.canUndo);
    else if (this.canUndo) this.undo();
  }

  /** Say whether a practice question was answered as expected, and wait. */
  tell(good, goOn) {
    this.goOn = goOn;
    this.verdict.textContent = text(good ? "practice_right" : "practice_wrong");
    this.verdict.classList.toggle("good", good);
    find("announcer").textContent = this.verdict.textContent;
    this.buttons.hidden = true;
    this.feedback.hidden = false;
    this.goOnButton.focus({ preventScroll: true });
  }

  #ignores(event) {
    const elsewhere = event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]");
    return !this.isShown || this.goOn !== null || elsewhere;
  }

  #key(event) {
    if (this.#ignores(event)) return;
    const { target, key } = event;
    const onPlayer = target instanceof HTMLMediaElement; // it has keys of its own
    const onButton = target instanceof HTMLButtonElement && target.dataset.place === undefined;
    const place = placeOf(event);
    if (place >= 0) this.#once(event, () => this.view.pick(place, event.timeStamp));
    else if (key === "Backspace") this.#once(event, () => this.takeBack());
    else if (key.toLowerCase() === "p" && this.view.players.length) this.#once(event, () => this.view.playNext());
    else if (onPlayer || onButton) return;
    else if (key === " ") this.#once(event, () => this.view.cannotSay(event.timeStamp));
    else if (key === "Enter" && target.dataset?.place !== undefined)
      this.#once(event, () => this.view.pick(Number(target.dataset.place), event.timeStamp));
    else if (ARROWS.has(key)) {
      event.preventDefault();
      this.view.move(key);
    }
  }

  /** A key that is held down counts once. */
  #once(event, act) {
    event.preventDefault();
    if (!event.repeat) act();
  }

  /** Some browsers press a button when the space bar is released. */
  #released(event) {
    if (event.key === " " && !this.#ignores(event) && event.target.dataset?.place !== undefined) event.preventDefault();
  }
}
