// A visit: which screen comes next, from the first page to the last.

import { find, text } from "./elements.js";
import { AHEAD, Interview } from "./interview.js";
import { QuestionScreen } from "./question_screen.js";
import { QuestionView } from "./question_view.js";
import { request } from "./requests.js";
import * as screens from "./screens.js";
import { markTab } from "./storage.js";
import { loadStudy } from "./study.js";
import { Top } from "./top.js";

export const WHO = ["PROLIFIC_PID", "STUDY_ID", "workerId", "id"]; // the same person in another session
export const TAKE_TAB = "tete.take-tab"; // kept in the tab that asked for the visit, while it is loaded again
const NOTICED = 400; // milliseconds: what is over sooner is not shown
const ASK_AGAIN = 5000; // milliseconds between questions whether a pause is over
const KEPT_VIEWS = 3; // of answered questions, for undo

export class Visit {
  constructor(study, identity, storage) {
    this.study = study;
    this.identity = identity;
    this.storage = storage;
    this.views = new Map();
    this.place = "start"; // which kind of screen is shown
    this.interview = null;
    this.away = false;
    this.leaving = false;
    this.practising = false;
    this.top = new Top();
    this.screen = new QuestionScreen(study.question, { undo: () => this.undo() });
  }

  // Begin -----------------------------------------------------------------------------------------------------------

  async begin() {
    const key = this.storage.get("person");
    if (key !== null) {
      this.join(key);
      this.wait();
      await this.interview.load();
      if (this.interview.state === "asking" && this.place !== "over") this.interview.note("resumed");
    } else if (this.study.state === "closed") {
      screens.closed();
    } else if (this.study.consent.trim()) {
      screens.consent(this.study, () => screens.instructions(this.study, () => this.start()));
    } else {
      screens.instructions(this.study, () => this.start());
    }
  }

  async start() {
    const body = { consent: true, identity: this.identity, source: "page", ahead: AHEAD };
    const { ok, status, said } = await request("POST", "start", { body }).catch(() => ({}));
    if (status === 403 && (await loadStudy()).state === "closed") {
      screens.closed();
      return true;
    }
    if (!ok) return false;
    this.storage.clear();
    this.storage.set("person", said.person);
    this.join(said.person);
    this.interview.begin(said);
    return true;
  }

  join(key) {
    const listeners = { changed: () => this.update(), unknown: () => this.unknown() };
    this.interview = new Interview(this.storage, key, listeners);
    this.place = "between";
    find("leave").textContent = text("leave");
    find("leave").addEventListener("click", () => this.leave());
    for (const event of ["blur", "focus"]) addEventListener(event, () => this.watchFocus());
    document.addEventListener("visibilitychange", () => this.watchFocus());
    addEventListener("online", () => this.interview.outbox.wake());
    addEventListener("beforeunload", (event) => {
      const { failing, empty, stopped } = this.interview.outbox;
      if (failing && !empty && !stopped) event.preventDefault();
    });
    setInterval(() => this.askAgain(), ASK_AGAIN);
  }

  // What is on the screen ---------------------------------------------------------------------------------------------

  /** Something is new: an answer was acknowledged, questions came in, the connection was lost. */
  update() {
    this.showTop();
    if (this.place === "over") return;
    this.prepare();
    const moved = this.place === "question" && this.screen.view.question !== this.interview.current;
    if (this.place === "between" || moved) this.next();
    else if (this.place === "question") this.screen.update(canTakeBack(this.interview, this.screen.view.question));
  }

  /** The next screen, whatever it is. */
  next() {
    const { interview } = this;
    const question = interview.current;
    this.place = "between";
    if (this.leaving || interview.state === "withdrew") this.left();
    else if (question) this.nextQuestion(question);
    else if (interview.finished) this.end();
    else if (!interview.outbox.empty) this.wait(interview.state === "asking" ? "waiting" : "saving_last");
    else if (interview.state === "paused") this.once("paused", screens.paused);
    else if (interview.state === "closed") this.once("closed", screens.closed);
    else this.wait();
  }

  nextQuestion(question) {
    if (this.practising && !question.practice) return this.afterPractice();
    if (this.isBreakDue(question)) return this.rest(question);
    const view = this.prepare();
    if (!view.isReady) {
      this.wait();
      view.ready.then(() => this.place === "between" && this.next());
      return undefined;
    }
    clearTimeout(this.waiting);
    this.shownOnce = null;
    this.place = "question";
    this.practising = question.practice;
    this.screen.show(view, canTakeBack(this.interview, question));
    this.showTop();
    return undefined;
  }

  /** Make what is to be shown soon; the view of the current question. */
  prepare() {
    const { held, history } = this.interview;
    const soon = held.slice(0, AHEAD + 1);
    for (const question of soon) {
      if (this.views.has(question)) continue;
      const view = new QuestionView(question, this.study.question, {
        choose: (picks, ms) => this.answer(view, picks, ms),
        changed: () => this.screen.view === view && this.screen.update(canTakeBack(this.interview, question)),
      });
      view.ready.then(() => (view.isReady = true));
      this.views.set(question, view);
    }
    const wanted = new Set([...soon, ...history.slice(-KEPT_VIEWS)]);
    for (const question of [...this.views.keys()]) if (!wanted.has(question)) this.views.delete(question);
    return this.views.get(soon[0]);
  }

  answer(view, picks, ms) {
    const { practice } = view.question;
    if (practice) this.place = "feedback";
    this.interview.answer(picks, ms);
    if (practice) this.screen.tell(view.judge(picks), () => this.next());
  }

  undo() {
    this.place = "between";
    this.views.get(this.interview.history.at(-1))?.reset();
    this.interview.undo();
  }

  afterPractice() {
    this.practising = false;
    this.place = "pause";
    screens.practiceOver(() => this.next());
  }

  isBreakDue(question) {
    const { break_every: every, practice } = this.study;
    const before = question.position - practice; // questions that count
    const due = every > 0 && !question.practice && before > 0 && before % every === 0;
    return due && before > this.storage.get("rested", 0);
  }

  rest(question) {
    this.place = "pause";
    this.interview.note("break");
    screens.rest(() => {
      this.storage.set("rested", question.position - this.study.practice);
      this.interview.note("continued");
      this.next();
    });
  }

  wait(name = "waiting") {
    this.shownOnce = null;
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.place === "between" && screens.waiting(name), NOTICED);
  }

  /** A screen that stays until something else is to be shown. */
  once(name, show) {
    clearTimeout(this.waiting);
    if (this.shownOnce !== name) show();
    this.shownOnce = name;
  }

  askAgain() {
    if (this.place === "between") this.interview.refresh();
  }

  // The end -----------------------------------------------------------------------------------------------------------

  over(show) {
    clearTimeout(this.waiting);
    this.place = "over";
    find("leave").hidden = true;
    show();
  }

  end() {
    this.over(() => screens.end(this.interview.completion, this.again()));
  }

  async leave() {
    if (!(await screens.confirmLeaving()) || this.place === "over") return;
    this.leaving = true;
    this.interview.note("withdrew");
    this.next();
  }

  left() {
    if (!this.interview.outbox.empty) this.wait();
    else this.over(() => screens.withdrew(this.again()));
  }

  unknown() {
    this.storage.clear();
    find("top").hidden = true;
    this.over(() => screens.unknown(() => location.reload()));
  }

  /** Another tab has taken over, with all that waits. */
  lost() {
    this.interview?.outbox.stop();
    find("top").hidden = true;
    this.over(() =>
      screens.otherTab(() => {
        markTab(TAKE_TAB);
        location.reload();
      }),
    );
  }

  /** People without an id in their address may share a browser. */
  again() {
    if (WHO.some((name) => name in this.identity)) return null;
    return () => {
      this.storage.clear();
      location.reload();
    };
  }

  // Beside the questions ----------------------------------------------------------------------------------------------

  showTop() {
    const { interview, study } = this;
    const question = this.place === "feedback" ? this.screen.view.question : interview.current;
    this.top.showProgress(interview, question, study.practice);
    this.top.showConnection(interview.outbox);
  }

  watchFocus() {
    const away = document.hidden || !document.hasFocus();
    if (away === this.away || this.place === "over") return;
    this.away = away;
    this.interview.note(away ? "focus lost" : "focus back");
    if (!away) this.interview.outbox.wake();
  }
}

/** Practice is not taken back: its answer was told. */
const canTakeBack = (interview, question) => interview.canUndo && !question.practice;
