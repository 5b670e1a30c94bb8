// The pages around the questions: consent, instructions, break, end and what else a person must be told.

import { button, find, make, number, text } from "./elements.js";
import { markdown } from "./markdown.js";

/** Put a page on the screen, and tell screen readers of it by its heading. */
function show(name, title, ...parts) {
  const heading = make("h1", { tabIndex: -1 }, title);
  const screen = make("section", { className: `sheet ${name}` }, heading, ...parts);
  screen.dataset.screen = name;
  find("page").replaceChildren(screen);
  window.scrollTo(0, 0);
  heading.focus({ preventScroll: true });
  return screen;
}

const paragraph = (name, blanks) => make("p", {}, text(name, blanks));
const actions = (...buttons) => make("div", { className: "actions" }, ...buttons);
const main = (label, act) => button(label, act, { className: "main" });
const plain = (label, act) => button(label, act, { className: "plain" });

const isWeb = (address) => /^https?:\/\//i.test(address);

export function consent(study, agree) {
  const back = () => consent(study, agree);
  const disagree = () =>
    show("disagreed", text("disagreed_title"), paragraph("disagreed"), actions(plain(text("back"), back)));
  show(
    "consent",
    study.title || text("untitled"),
    make("h2", {}, text("consent_title")),
    make("div", { className: "markdown" }, ...markdown(study.consent)),
    actions(plain(text("disagree"), disagree), main(text("agree"), agree)),
  );
}

function howTo({ question }) {
  const lines = [{ triplet: "how_triplet", "odd-one-out": "how_odd_one_out", pick: "how_pick" }[question.kind]];
  if (question.ranked) lines.push("how_ranked");
  lines.push("how_no_wrong");
  return lines.map((line) => paragraph(line, { picks: question.picks }));
}

function keys({ question }) {
  const { choices } = question;
  const digits = choices > 3 ? ["1", "…", String(Math.min(choices, 10) % 10)] : ["1", "2", "3"].slice(0, choices);
  const rows = [
    [digits, "how_keys_digits"],
    [[text("key_arrows"), text("key_enter")], "how_keys_arrows"],
    [[text("key_backspace")], "how_keys_undo"],
    [[text("key_space")], "how_keys_cannot_say"],
  ];
  const list = rows.flatMap(([caps, does]) => [
    make("dt", {}, ...caps.map((cap) => (cap === "…" ? cap : make("kbd", {}, cap)))),
    make("dd", {}, text(does)),
  ]);
  return make("div", { className: "keys" }, make("h2", {}, text("how_keys_title")), make("dl", {}, ...list));
}

/** The last page before anything is stored; `start()` resolves to whether it worked. */
export function instructions(study, start) {
  const trouble = make("p", { className: "trouble", role: "alert" });
  const press = main(text("start"), async () => {
    press.disabled = true;
    press.textContent = text("starting");
    trouble.textContent = "";
    if (await start()) return;
    trouble.textContent = text("start_failed");
    press.disabled = false;
    press.textContent = text("start");
  });
  const own = study.instructions.trim();
  const counted = [text("how_questions", { count: number(study.questions) })];
  if (study.practice) counted.push(text("how_practice", { count: number(study.practice) }));
  const counts = make("ul", { className: "counts" }, ...counted.map((each) => make("li", {}, each)));
  show(
    "instructions",
    study.title || text("untitled"),
    make("h2", {}, text("how_title")),
    make("div", { className: "markdown" }, ...(own ? markdown(own) : howTo(study))),
    counts,
    keys(study),
    trouble,
    actions(press),
  );
}

export function practiceOver(goOn) {
  const press = main(text("continue"), goOn);
  show("practice-over", text("practice_over_title"), paragraph("practice_over"), actions(press));
  press.focus({ preventScroll: true });
}

export function rest(goOn) {
  const press = main(text("continue"), goOn);
  show("break", text("break_title"), paragraph("break_text"), actions(press));
  press.focus({ preventScroll: true });
}

/** Shown only where waiting takes long enough to be noticed. */
export function waiting(name = "waiting") {
  const spinner = make("div", { className: "spinner", "aria-hidden": "true" });
  const screen = make("section", { className: "sheet waiting" }, spinner, paragraph(name));
  screen.dataset.screen = "waiting";
  find("page").replaceChildren(screen);
}

function codeOf(code) {
  const shown = make("code", { className: "code", tabIndex: 0 }, code);
  const copy = plain(text("copy"), async () => {
    getSelection().selectAllChildren(shown);
    try {
      await navigator.clipboard.writeText(code);
      copy.textContent = text("copied");
    } catch {
      // The code is selected: a person can copy it.
    }
  });
  const label = make("p", { className: "code-label" }, text("completion_code"));
  return [label, make("div", { className: "code-row" }, shown, copy)];
}

export function end(completion, again) {
  const { code, link } = completion ?? {};
  const parts = [paragraph(code || link ? "end_text_completion" : "end_text")];
  if (code) parts.push(...codeOf(code));
  if (link && isWeb(link)) {
    const properties = { className: "main", href: link, rel: "noopener noreferrer" };
    parts.push(actions(make("a", properties, text("completion_link"))));
  }
  if (again) parts.push(actions(button(text("another_person"), again, { className: "quiet" })));
  show("end", text("end_title"), ...parts);
}

export const paused = () => show("paused", text("paused_title"), paragraph("paused_text"));
export const closed = () => show("closed", text("closed_title"), paragraph("closed_text"));
export function withdrew(again) {
  const parts = again ? [actions(button(text("another_person"), again, { className: "quiet" }))] : [];
  show("withdrew", text("withdrew_title"), paragraph("withdrew_text"), ...parts);
}
export const otherTab = (take) =>
  show("other-tab", text("other_tab_title"), paragraph("other_tab_text"), actions(main(text("use_this_tab"), take)));
export const unknown = (again) =>
  show("unknown", text("unknown_title"), paragraph("unknown_text"), actions(main(text("start_again"), again)));

/** Whether the person really wants to leave. */
export function confirmLeaving() {
  const dialog = make("dialog", { "aria-labelledby": "leave-title" });
  dialog.append(
    make("h2", { id: "leave-title" }, text("leave_title")),
    paragraph("leave_text"),
    actions(
      plain(text("leave_yes"), () => dialog.close("leave")),
      main(text("leave_no"), () => dialog.close("")),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  dialog.querySelector(".main").focus();
  return new Promise((resolve) =>
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "leave");
    }),
  );
}
