// Elements and texts. What people or files say is put on the page as text nodes and attributes, never as HTML.

let texts = {};

export const useTexts = (given) => {
  texts = given;
};

/** The page's text of this name, its blanks filled in. */
export const text = (name, blanks = {}) =>
  texts[name].replace(/\{(\w+)\}/g, (whole, blank) => (blank in blanks ? String(blanks[blank]) : whole));

/** An element; properties whose names have a dash or a colon, and `role`, are set as attributes. */
export function make(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role") made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children);
  return made;
}

export const find = (id) => document.getElementById(id);

/** A button that does something once for each press. */
export function button(label, act, properties = {}) {
  const made = make("button", { type: "button", ...properties }, label);
  made.addEventListener("click", act);
  return made;
}

/** The name of a key, as it looks on a keyboard. */
export const keycap = (name) => make("kbd", { "aria-hidden": "true" }, name);

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Show a number as the reader's language does. */
export const number = (value) => Number(value).toLocaleString(document.documentElement.lang || undefined);
