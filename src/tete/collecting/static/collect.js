// Where the page begins: the study, the person in the address, and one tab for both.

import { text, useTexts } from "./elements.js";
import { useStudy } from "./media.js";
import { onlyTab } from "./one_tab.js";
import * as screens from "./screens.js";
import { Storage, wasTabMarked } from "./storage.js";
import { loadStudy } from "./study.js";
import { TAKE_TAB, Visit, WHO } from "./visit.js";

const IDENTITY = ["PROLIFIC_PID", "STUDY_ID", "SESSION_ID", "workerId", "id"];

function identityOf(address) {
  const given = new URLSearchParams(address);
  return Object.fromEntries(IDENTITY.filter((name) => given.get(name)).map((name) => [name, given.get(name)]));
}

async function main() {
  const study = await loadStudy();
  useTexts(study.texts);
  useStudy(study.study);
  document.documentElement.lang = text("language");
  document.documentElement.dir = text("direction");
  document.title = study.title || text("untitled");
  const identity = identityOf(location.search);
  const who = WHO.map((name) => identity[name] ?? "");
  const name = `tete.${study.study}.${who.some(Boolean) ? JSON.stringify(who) : ""}.`;
  const visit = new Visit(study, identity, new Storage(name));
  const taking = wasTabMarked(TAKE_TAB);
  const busy = (take) => (taking ? take() : screens.otherTab(take));
  await onlyTab(name, busy, () => visit.lost());
  await visit.begin();
  document.body.dataset.ready = "true";
}

addEventListener("pageshow", (event) => event.persisted && location.reload());
main();
