// Where a person is: the questions at hand, those answered that may be taken back, and what the server has said.

import { pause } from "./elements.js";
import { Outbox } from "./outbox.js";
import { request } from "./requests.js";

export const AHEAD = 5; // questions at hand
const MOST_EVENTS = 100; // that wait: without a connection, answers matter more
const LONGEST_PAUSE = 5000; // milliseconds

export class Interview {
  /** `changed()` is told when anything is new, `unknown()` when the server does not know the person. */
  constructor(storage, key, { changed, unknown }) {
    this.key = key;
    this.listeners = { changed, unknown };
    this.outbox = new Outbox(storage, key, {
      complete: (entry) => this.#completed(entry),
      reached: (entry, said) => entry.path === "answer" && this.begun && this.#take(said),
      refused: (entry) => entry.path === "answer" && this.#loadAnew(),
      unknown,
      changed,
    });
    this.#forget();
    this.begun = false; // before, what waits may answer the questions that the server still speaks of
    this.state = "asking";
    this.answered = 0;
    this.total = 0;
    this.practiceLeft = 0;
    this.completion = null;
    this.loading = false;
  }

  #forget() {
    this.held = []; // not answered here, in the order in which they are asked
    this.history = []; // answered here or just before the page was loaded, the last one at the end
    this.known = new Set(); // numbers of all of these
    this.farthest = -1; // position
  }

  get current() {
    return this.held[0] ?? null;
  }

  get finished() {
    return this.state === "finished" && this.outbox.empty && this.held.length === 0;
  }

  get canUndo() {
    return this.history.length > 0;
  }

  /** Take in what the server said at the start of a visit. */
  begin(said) {
    this.#forget();
    this.begun = true;
    const { previous } = said;
    if (previous) {
      this.known.add(previous.question);
      this.farthest = previous.position;
      if (!previous.practice) this.history.push(previous);
    }
    this.#take(said);
  }

  /** Send what waits, then ask the server where this person is; again until it works. */
  async load() {
    for (let wait = 300; !this.outbox.stopped; wait = Math.min(2 * wait, LONGEST_PAUSE)) {
      await this.outbox.drained();
      const { status, ok, said } = await request("GET", `next?ahead=${AHEAD}`, { key: this.key }).catch(() => ({}));
      if (this.outbox.stopped) return;
      if (status === 401) {
        this.outbox.stop();
        this.listeners.unknown();
      } else if (ok && this.outbox.empty) {
        this.outbox.failing = false;
        this.begin(said);
        return;
      } else if (!ok) {
        this.outbox.failing = true;
        this.listeners.changed();
        await pause(wait);
      }
    }
  }

  /** The server's word counts where it refused an answer, and where nothing is left to ask here. */
  async #loadAnew() {
    if (this.loading) return;
    this.loading = true;
    this.begun = false;
    await this.load();
    this.loading = false;
  }

  /** Ask again whether there is more: the study was paused, or something went missing on the way. */
  refresh() {
    if (this.held.length === 0 && this.outbox.empty) this.#loadAnew();
  }

  #take(said) {
    this.state = said.state;
    this.answered = said.answered;
    this.total = said.total;
    this.practiceLeft = said.practice_left;
    this.completion = said.completion ?? null;
    for (const question of said.questions) {
      if (this.known.has(question.question)) continue;
      this.known.add(question.question);
      this.held.push(question);
      this.farthest = Math.max(this.farthest, question.position);
    }
    this.held.sort((one, other) => one.position - other.position);
    this.listeners.changed();
  }

  #completed({ path, body }) {
    return path === "answer" ? { ...body, ahead: AHEAD, after: this.farthest } : body;
  }

  answer(choice, ms) {
    const question = this.held.shift();
    if (!question.practice) this.history.push(question);
    this.#send(question, { choice, undo: false, ms });
  }

  undo() {
    const question = this.history.pop();
    this.held.unshift(question);
    this.#send(question, { choice: null, undo: true, ms: null });
  }

  #send(question, rest) {
    this.outbox.add("answer", { question: question.question, revision: question.revision, ...rest });
    question.revision += 1;
  }

  note(kind, detail = {}) {
    const waiting = this.outbox.entries.filter(({ path }) => path === "event").length;
    if (waiting < MOST_EVENTS || kind === "withdrew") this.outbox.add("event", { kind, detail });
  }
}
