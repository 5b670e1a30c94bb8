// What the page must know of the study before anything else, asked until the server answers.

import { find, pause } from "./elements.js";
import { request } from "./requests.js";

const LONGEST_PAUSE = 5000; // milliseconds

export async function loadStudy() {
  for (let wait = 300; ; wait = Math.min(2 * wait, LONGEST_PAUSE)) {
    const { ok, said } = await request("GET", "study").catch(() => ({}));
    if (ok) return said;
    const apology = find("cannot-load");
    if (apology) apology.hidden = false;
    await pause(wait);
  }
}
