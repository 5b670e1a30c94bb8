// One tab at a time: two would mix their answers. Where the browser has locks (https and this machine) these decide,
// elsewhere the tabs ask each other.

const ANSWER_TIME = 250; // milliseconds for another tab to say that it is there

/**
 * Take the name for this tab, at once or as soon as it is free. Meanwhile `busy(take)` is told; `take()` takes the
 * name from the other tab. `lost()` is told when another tab takes it from this one.
 */
export function onlyTab(name, busy, lost) {
  return navigator.locks ? byLock(name, busy, lost) : byAsking(name, busy, lost);
}

function byLock(name, busy, lost) {
  return new Promise((resolve) => {
    let mine = false;
    const hold = () => {
      if (!mine) resolve();
      mine = true;
      return new Promise(() => {}); // until the page goes, or another tab takes it
    };
    const stolen = () => {
      mine = false;
      lost();
    };
    const take = () => navigator.locks.request(name, { steal: true }, hold).catch(stolen);
    const ifFree = (lock) => {
      if (lock) return hold();
      busy(take);
      navigator.locks.request(name, () => (mine ? undefined : hold())).catch(stolen);
      return undefined;
    };
    navigator.locks.request(name, { ifAvailable: true }, ifFree).catch(stolen);
  });
}

function byAsking(name, busy, lost) {
  return new Promise((resolve) => {
    const channel = new BroadcastChannel(name);
    let mine = false;
    const take = () => {
      channel.postMessage("taken");
      mine = true;
      resolve();
    };
    channel.addEventListener("message", ({ data }) => {
      if (data === "anybody?" && mine) channel.postMessage("here");
      if (data === "here" && !mine) {
        clearTimeout(timer);
        busy(take);
      }
      if (data === "taken" && mine) {
        mine = false;
        lost();
      }
    });
    channel.postMessage("anybody?");
    const timer = setTimeout(take, ANSWER_TIME);
  });
}
