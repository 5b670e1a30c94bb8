// Pictures, sounds, films and texts, made and decoded before they are shown.

import { make, pause, text } from "./elements.js";

const LONGEST_PAUSE = 5000; // milliseconds between attempts
const TINY = 64; // pixels: smaller pictures are enlarged with sharp edges
const LONG_TEXT = 60; // letters; longer texts are set smaller
const VERY_LONG_TEXT = 240;

let study = "";

/** With the study's id in their addresses, files are fetched once. */
export const useStudy = (id) => {
  study = id;
};

const address = (item) => `media/${item.item}?study=${encodeURIComponent(study)}`;

/** Whether the file itself is the trouble: where there is no connection, it is only to be waited for. */
async function isBroken(source) {
  try {
    const { status } = await fetch(source, { method: "GET" });
    return status < 500 && status !== 429;
  } catch {
    return false;
  }
}

/** Try until it works or the file turns out to be broken; whether it worked. */
async function patiently(source, attempt) {
  for (let wait = 250; ; wait = Math.min(2 * wait, LONGEST_PAUSE)) {
    try {
      await attempt();
      return true;
    } catch {
      if (await isBroken(source)) return false;
    }
    await pause(wait);
  }
}

function picture(item) {
  const image = make("img", { alt: item.label, draggable: false, className: "picture" });
  const attempt = async () => {
    image.src = address(item);
    await image.decode();
    const { naturalWidth: width, naturalHeight: height } = image;
    if (width && height) image.style.setProperty("--ratio", String(width / height));
    image.classList.toggle("tiny", width > 0 && Math.max(width, height) < TINY);
  };
  return { element: image, ready: patiently(address(item), attempt), player: null };
}

function film(item, tag) {
  const player = make(tag, { controls: true, preload: "auto", className: tag, "aria-label": item.label });
  player.setAttribute("controlslist", "nodownload noremoteplayback");
  if (tag === "video") player.playsInline = true;
  const attempt = () =>
    new Promise((resolve, reject) => {
      player.addEventListener("loadeddata", resolve, { once: true });
      player.addEventListener("error", reject, { once: true });
      player.src = address(item);
      player.load();
    });
  return { element: player, ready: patiently(address(item), attempt), player };
}

function words(item) {
  const { length } = item.text;
  const size = length > VERY_LONG_TEXT ? "small" : length > LONG_TEXT ? "medium" : "large";
  const element = make("span", { className: `words ${size}`, dir: "auto" }, item.text);
  return { element, ready: Promise.resolve(true), player: null };
}

/** What an item looks like: its element, its player if it has one, and whether it can be shown once that is known. */
export function showItem(item) {
  if (item.kind === "text") return words(item);
  const shown = item.kind === "image" ? picture(item) : film(item, item.kind === "sound" ? "audio" : "video");
  const ready = shown.ready.then((works) => {
    if (!works) {
      const instead = make("span", { className: "words small", dir: "auto" }, `${text("cannot_show")} ${item.label}`);
      shown.element.replaceWith(instead);
    }
    return works;
  });
  return { ...shown, ready };
}
