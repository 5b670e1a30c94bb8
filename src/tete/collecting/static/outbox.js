// Answers and events wait here, in this browser, until the server has said that they are stored. They are sent one
// after the other in their order, again and again after growing pauses, also after the page was loaded anew.

import { request } from "./requests.js";

const FIRST_PAUSE = 300; // milliseconds
const LONGEST_PAUSE = 10_000;
const REFUSED = new Set([400, 409, 413]); // sending the same once more would change nothing
const UNKNOWN = 401;

export class Outbox {
  /**
   * `reached(entry, said)`, `refused(entry)`, `unknown()` (the server does not know this person) and
   * `changed()` are told what happens; `complete(entry)` gives the body to send, at the time of sending.
   */
  constructor(storage, key, listeners) {
    this.storage = storage;
    this.key = key;
    this.listeners = listeners;
    this.entries = storage.get("outbox", []);
    this.failing = false;
    this.stopped = false;
    this.sending = false;
    this.wake = () => {};
  }

  add(path, body) {
    this.entries.push({ path, body });
    this.#keep();
    this.send();
  }

  get empty() {
    return this.entries.length === 0;
  }

  /** Resolves when nothing waits any more. */
  async drained() {
    this.send();
    while (!this.empty && !this.stopped) await new Promise((resolve) => (this.whenChanged = resolve));
  }

  /** Another tab goes on with what waits. */
  stop() {
    this.stopped = true;
    this.wake();
  }

  async send() {
    if (this.sending) return;
    this.sending = true;
    let pause = FIRST_PAUSE;
    while (!this.empty && !this.stopped) {
      const wait = await this.#sendFirst();
      if (wait === 0) {
        pause = FIRST_PAUSE;
      } else if (!this.stopped) {
        await this.#sleep(Math.max(wait, pause * (0.75 + 0.5 * Math.random()))); // not all people at once
        pause = Math.min(2 * pause, LONGEST_PAUSE);
      }
    }
    this.sending = false;
  }

  /** Milliseconds to wait before the next attempt at least; 0 when the first entry is done with. */
  async #sendFirst() {
    const [entry] = this.entries;
    let reply;
    try {
      reply = await request("POST", entry.path, { key: this.key, body: this.listeners.complete(entry) });
    } catch {
      reply = { status: 0, ok: false, wait: 0 };
    }
    if (this.stopped) return 1;
    if (reply.status === UNKNOWN) {
      this.stop();
      this.listeners.unknown();
      return 1;
    }
    const done = reply.ok || REFUSED.has(reply.status);
    this.failing = !done;
    if (done) {
      this.entries.shift();
      this.#keep();
      if (reply.ok) this.listeners.reached(entry, reply.said);
      else this.listeners.refused(entry);
    } else {
      this.#changed();
    }
    return done ? 0 : Math.max(1, 1000 * reply.wait);
  }

  #sleep(milliseconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #keep() {
    this.storage.set("outbox", this.entries);
    this.#changed();
  }

  #changed() {
    this.listeners.changed();
    this.whenChanged?.();
  }
}
