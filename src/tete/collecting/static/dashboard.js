// The researcher's dashboard: asks for the state every two seconds and shows it.

import { MapFrame, showAsked, showCurve, showHead, showNotices, showQuality, showTiles } from "./dashboard_parts.js";
import { button, find, make, pause } from "./elements.js";
import { PeopleTable } from "./people_table.js";
import { request } from "./requests.js";

const EVERY = 2000; // milliseconds
const WARNINGS = {
  close: [
    "Close the study?",
    "Nobody can start any more; people who are in the middle see that the study has ended. You can open it again.",
    "Close",
  ],
  exclude: [
    "Exclude",
    "The answers are left out of maps and exports from now on; nothing is deleted. You can include the person again.",
    "Exclude",
  ],
  forget: [
    "Forget",
    "Deletes everything stored about this person, answers included, for ever. There is no way back.",
    "Delete for ever",
  ],
};

// Logging in ----------------------------------------------------------------------------------------------------------

async function logIn(token) {
  const { ok, said } = await request("POST", "dashboard/login", { body: { token } }).catch(() => ({}));
  if (!ok) find("login-said").textContent = said?.error ?? "The server cannot be reached.";
  return ok === true;
}

/** Take the token out of the address bar before anything else. */
function tokenOfAddress() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  return token;
}

function askForToken() {
  find("board").hidden = true;
  find("login").hidden = false;
  find("token").focus();
}

// What is done --------------------------------------------------------------------------------------------------------

function confirmed(action, person) {
  if (!(action in WARNINGS)) return true;
  const [title, warning, yes] = WARNINGS[action];
  const dialog = make("dialog", { "aria-labelledby": "confirm-title" });
  const no = button("Cancel", () => dialog.close(""));
  const className = action === "exclude" ? "main" : "main danger";
  dialog.append(
    make("h2", { id: "confirm-title" }, person ? `${title} ${person.name}?` : title),
    make("p", {}, warning),
    make("div", { className: "actions" }, no, button(yes, () => dialog.close("yes"), { className })),
  );
  document.body.append(dialog);
  dialog.showModal();
  no.focus();
  return new Promise((resolve) =>
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    }),
  );
}

class Dashboard {
  constructor() {
    this.table = new PeopleTable((action, person) => this.act(action, person));
    this.map = new MapFrame();
    this.state = null;
    this.refused = "";
    for (const action of ["open", "pause", "close"]) find(action).addEventListener("click", () => this.act(action));
    find("copy").addEventListener("click", () => {
      getSelection().selectAllChildren(find("people-address")); // to be copied by hand where scripts must not
      const copied = navigator.clipboard?.writeText(find("people-address").textContent) ?? Promise.reject();
      copied.then(() => (find("copy").textContent = "Copied")).catch(() => {});
    });
  }

  async act(action, person = null) {
    if (!(await confirmed(action, person))) return;
    const body = person ? { action, person: person.person } : { action };
    const { ok, said } = await request("POST", "dashboard/control", { body }).catch(() => ({}));
    this.refused = ok ? "" : (said?.error ?? "The server cannot be reached: nothing was changed.");
    await this.refresh();
  }

  /** Whether the server knows this browser. */
  async refresh() {
    const { ok, status, said } = await request("GET", "dashboard/state").catch(() => ({}));
    if (status === 401) return false;
    if (ok) this.show(said);
    else showNotices(this.state, "No connection to the server: these are the last numbers it gave. Trying again.");
    return true;
  }

  show(state) {
    this.state = state;
    find("login").hidden = true;
    find("board").hidden = false;
    showHead(state);
    showNotices(state, this.refused);
    showTiles(state);
    showQuality(state.findings);
    showCurve(state.findings);
    showAsked(state);
    this.table.show(state.each);
    this.map.update(state);
    find("updated").textContent = `Updated at ${new Date().toLocaleTimeString()}; every two seconds.`;
  }

  async run() {
    for (;;) {
      if (!(document.hidden && this.state) && !(await this.refresh())) {
        askForToken();
        await new Promise((resolve) => (this.loggedIn = resolve));
      } else {
        await pause(EVERY);
      }
    }
  }
}

async function main() {
  const token = tokenOfAddress();
  if (token) await logIn(token);
  const dashboard = new Dashboard();
  find("login").addEventListener("submit", async (event) => {
    event.preventDefault();
    if (await logIn(find("token").value.trim())) {
      find("token").value = "";
      dashboard.loggedIn?.();
    }
  });
  addEventListener("hashchange", async () => {
    const another = tokenOfAddress();
    if (another && (await logIn(another))) dashboard.loggedIn?.();
  });
  await dashboard.run();
}

main();
