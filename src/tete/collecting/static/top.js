// The line above the questions: how many answers are saved, and whether more wait.

import { find, number, text } from "./elements.js";

const NOTICED = 400; // milliseconds: what is saved sooner is not spoken of

function say(id, said) {
  if (find(id).textContent !== said) find(id).textContent = said;
}

export class Top {
  showProgress({ answered, total, finished, outbox }, question, nPractice) {
    find("top").hidden = total === 0 && !outbox.failing;
    find("progress").hidden = total === 0;
    const practice = question?.practice ? { number: number(question.position + 1), total: number(nPractice) } : null;
    const progress = { answered: number(answered), total: number(total) };
    say("progress", practice ? text("practice_progress", practice) : text("progress", progress));
    find("bar-done").style.transform = `scaleX(${finished ? 1 : answered / Math.max(1, total)})`;
    const bar = find("bar");
    bar.setAttribute("aria-label", text("progress_label"));
    bar.setAttribute("aria-valuemax", String(total));
    bar.setAttribute("aria-valuenow", String(answered));
  }

  showConnection({ failing, empty }) {
    clearTimeout(this.saving);
    find("connection").classList.toggle("trouble", failing);
    if (failing) say("connection", text("no_connection"));
    else if (empty) say("connection", "");
    else this.saving = setTimeout(() => say("connection", text("saving")), NOTICED);
  }
}
