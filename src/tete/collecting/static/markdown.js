// A little Markdown as DOM nodes: headings, paragraphs, lists, bold, italic, code and https links. Anything else,
// HTML included, stays what it is: text.

import { make } from "./elements.js";

const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const BULLET = /^\s*[-*+]\s+(.*)$/;
const NUMBERED = /^\s*(\d{1,9})[.)]\s+(.*)$/;
const FIRST_LEVEL = 2; // the page's own title is the first

// In turn: an escaped sign, code, a link, an address by itself, bold, italic (an underscore only between words).
const INLINE = new RegExp(
  [
    String.raw`\\(?<sign>[\\\x60*_{}[\]()#+.!<>-])`,
    String.raw`\x60(?<code>[^\x60]+)\x60`,
    String.raw`\[(?<label>[^\]]+)\]\((?<target>https:\/\/[^\s()]+(?:\([^\s()]*\)[^\s()]*)*)\)`,
    String.raw`<(?<bare>https:\/\/[^\s<>]+)>`,
    String.raw`\*\*(?<strong>\S(?:.*?\S)?)\*\*(?!\*)`,
    String.raw`\*(?<star>[^\s*](?:[^*]*[^\s*])?)\*`,
    String.raw`(?<![\p{L}\p{N}])_(?<under>[^\s_](?:[^_]*[^\s_])?)_(?![\p{L}\p{N}])`,
  ].join("|"),
  "gsu",
);

function link(target, ...inside) {
  return make("a", { href: target, rel: "noopener noreferrer", target: "_blank" }, ...inside);
}

/** Nodes of what stands within a line or paragraph. */
function inline(source) {
  const nodes = [];
  let end = 0;
  for (const found of source.matchAll(INLINE)) {
    if (found.index > end) nodes.push(source.slice(end, found.index));
    const { sign, code, label, target, bare, strong, star, under } = found.groups;
    if (sign !== undefined) nodes.push(sign);
    else if (code !== undefined) nodes.push(make("code", {}, code));
    else if (target !== undefined) nodes.push(link(target, ...inline(label)));
    else if (bare !== undefined) nodes.push(link(bare, bare));
    else if (strong !== undefined) nodes.push(make("strong", {}, ...inline(strong)));
    else nodes.push(make("em", {}, ...inline(star ?? under)));
    end = found.index + found[0].length;
  }
  if (end < source.length) nodes.push(source.slice(end));
  return nodes;
}

/** Lines in blocks that belong together: {tag, start, lines or items}. */
function blocks(source) {
  const found = [];
  let open = null; // the block that the next line may continue
  for (const line of source.replace(/\r\n?/g, "\n").split("\n")) {
    const heading = line.match(HEADING);
    const bullet = line.match(BULLET);
    const numbered = line.match(NUMBERED);
    if (!line.trim()) {
      open = open?.items ? { ...open, loose: true } : null;
    } else if (heading) {
      found.push({ tag: `h${Math.min(6, heading[1].length + FIRST_LEVEL - 1)}`, lines: [heading[2]] });
      open = null;
    } else if (bullet || numbered) {
      const tag = bullet ? "ul" : "ol";
      if (open?.tag !== tag) {
        open = { tag, items: [], start: numbered ? Number(numbered[1]) : 1 };
        found.push(open);
      }
      open.items.push([bullet ? bullet[1] : numbered[2]]);
      open.loose = false;
    } else if (open?.items && (!open.loose || /^\s{2,}/.test(line))) {
      open.items.at(-1).push(line.trim());
    } else if (open?.lines) {
      open.lines.push(line.trim());
    } else {
      open = { tag: "p", lines: [line.trim()] };
      found.push(open);
    }
  }
  return found;
}

/** The Markdown text as a list of elements. */
export function markdown(source) {
  return blocks(source).map(({ tag, lines, items, start }) => {
    if (lines) return make(tag, {}, ...inline(lines.join("\n")));
    const list = make(tag, {}, ...items.map((item) => make("li", {}, ...inline(item.join("\n")))));
    if (tag === "ol" && start !== 1) list.start = start;
    return list;
  });
}
