// What this browser keeps for one person in one study. Where a browser keeps nothing, it is kept as long as the page.

const inMemory = new Map();

export class Storage {
  constructor(prefix) {
    this.prefix = prefix;
  }

  get(name, otherwise = null) {
    const key = this.prefix + name;
    if (inMemory.has(key)) return structuredClone(inMemory.get(key));
    try {
      const kept = localStorage.getItem(key);
      return kept === null ? otherwise : JSON.parse(kept);
    } catch {
      return otherwise;
    }
  }

  set(name, value) {
    const key = this.prefix + name;
    try {
      localStorage.setItem(key, JSON.stringify(value));
      inMemory.delete(key);
    } catch {
      inMemory.set(key, structuredClone(value)); // no room or not allowed
    }
  }

  clear() {
    for (const key of [...inMemory.keys()]) if (key.startsWith(this.prefix)) inMemory.delete(key);
    try {
      for (const key of Object.keys(localStorage)) if (key.startsWith(this.prefix)) localStorage.removeItem(key);
    } catch {
      // Nothing is kept, so nothing is to be removed.
    }
  }
}

/** Remember something in this tab, for the page that is loaded next. */
export function markTab(name) {
  try {
    sessionStorage.setItem(name, "1");
  } catch {
    // Then the next page asks once more.
  }
}

/** Whether the page before said so; it is said once. */
export function wasTabMarked(name) {
  try {
    const marked = sessionStorage.getItem(name) !== null;
    sessionStorage.removeItem(name);
    return marked;
  } catch {
    return false;
  }
}
