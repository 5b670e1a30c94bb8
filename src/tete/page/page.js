"use strict";
// Everything beside the points. Names come from people's files: they are put on the page with textContent only.
(() => {
  const NEIGHBOURS = 10;
  const LISTED = 200;
  const LONGEST = 28; // letters of a name beside a point
  const REACH = 8; // pixels

  const data = JSON.parse(document.getElementById("data").textContent);
  const count = data.names.length;
  const embedding = new Float32Array(unpack(data.embedding).buffer);
  const rows = data.answers && new Int32Array(unpack(data.answers.rows).buffer);
  const agrees = data.answers && unpack(data.answers.agrees);
  const wrong = data.answers && unpack(data.answers.wrong); // in percent
  const element = (id) => document.getElementById(id);
  const night = window.matchMedia("(prefers-color-scheme: dark)");
  const theme = () => data.themes[night.matches ? "dark" : "light"];
  const WHAT_TO_DO =
    `Click an object for its neighbours${data.answers ? " and answers" : ""}. ` +
    "Choose the lasso above the map to select many.";
  let source, links, visible, plot;
  let labels = new Array(count).fill("");
  let hidden = new Set();

  function unpack(text) {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  }

  function make(tag, properties = {}, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  }

  function hint(text) {
    element("details").replaceChildren(make("p", { className: "hint", textContent: text }));
  }

  function objectButton(index) {
    const button = make("button", { className: "object", type: "button", textContent: data.names[index] });
    button.addEventListener("click", () => show(index));
    return button;
  }

  // Colours and legend ---------------------------------------------------------------------------------------------

  function colourBy(name) {
    const column = data.columns.find((each) => each.name === name);
    hidden = new Set();
    element("legend").replaceChildren();
    const looks = { color: new Array(count).fill(theme().colors[0]) };
    labels = new Array(count).fill("");
    if (column) {
      labels = column.values.map((value) => (value === null ? "" : String(value)));
      (column.kind === "number" ? colourNumbers : colourClasses)(column, looks);
    }
    source.data = { ...source.data, ...looks, label: labels, ink: new Array(count).fill(theme().ink) };
    showVisible();
  }

  function colourNumbers(column, looks) {
    const known = column.values.filter((value) => value !== null);
    const low = known.reduce((a, b) => Math.min(a, b), Infinity);
    const high = known.reduce((a, b) => Math.max(a, b), -Infinity);
    const { scale, unknown } = theme();
    const steps = scale.length - 1;
    column.values.forEach((value, index) => {
      const share = high > low ? (value - low) / (high - low) : 0.5;
      looks.color[index] = value === null ? unknown : scale[Math.round(share * steps)];
    });
    const bar = make("div", { className: "scale" });
    bar.style.background = `linear-gradient(to right, ${scale.join(",")})`;
    const ends = [low, high].map((end) => make("span", { textContent: Number(end.toPrecision(4)) }));
    element("legend").append(bar, make("div", { className: "ends" }, ...ends));
  }

  function colourClasses(column, looks) {
    const sizes = new Map();
    labels.forEach((label) => sizes.set(label, (sizes.get(label) || 0) + 1));
    const ordered = [...sizes.keys()].sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
    // Equally large classes are coloured in this order too, as `plotting` does.
    const bySize = ordered.filter((label) => label !== "").sort((a, b) => sizes.get(b) - sizes.get(a));
    const look = new Map(bySize.map((label, rank) => [label, classColour(rank)]));
    look.set("", theme().unknown);
    labels.forEach((label, index) => {
      looks.color[index] = look.get(label);
    });
    element("legend").append(...ordered.slice(0, LISTED).map((label) => legendButton(label, look.get(label), sizes)));
    if (ordered.length > LISTED) element("legend").append(more(ordered.length - LISTED));
  }

  function classColour(rank) {
    // Shades of the clear colours, because markers that differ from point to point go wrong in WebGL.
    const { colors, shades, unknown } = theme();
    const shade = shades[Math.floor(rank / colors.length)];
    return shade ? mixed(colors[rank % colors.length], ...shade) : unknown;
  }

  function mixed(colour, other, share) {
    const parts = [1, 3, 5].map((place) => {
      const channel = parseInt(colour.slice(place, place + 2), 16);
      return Math.round(channel + share * (other - channel)).toString(16).padStart(2, "0");
    });
    return `#${parts.join("")}`;
  }

  function legendButton(label, colour, sizes) {
    const swatch = make("span", { className: "swatch", textContent: "●" });
    swatch.style.color = colour;
    const button = make("button", { type: "button" }, swatch, `${label || "(none)"} (${sizes.get(label).toLocaleString("en")})`);
    button.setAttribute("aria-pressed", "true");
    button.title = "Hide or show this group";
    button.addEventListener("click", () => {
      if (!hidden.delete(label)) hidden.add(label);
      button.setAttribute("aria-pressed", String(!hidden.has(label)));
      showVisible();
      if (source.selected.indices.length) selectionChanged();
    });
    return button;
  }

  function showVisible() {
    visible.booleans = labels.map((label) => !hidden.has(label));
    source.change.emit();
  }

  // Selection, search, export --------------------------------------------------------------------------------------

  function select(indices) {
    source.selected.indices = indices;
  }

  function selectionChanged() {
    const chosen = source.selected.indices.filter((index) => !hidden.has(labels[index]));
    link(chosen.length === 1 ? chosen[0] : null, chosen.length === 1 ? nearest(chosen[0]) : []);
    if (chosen.length === 1) showObject(chosen[0]);
    else if (chosen.length > 1) showList(chosen);
    else hint(`Nothing is selected. ${WHAT_TO_DO}`);
  }

  // A click in a crowd means the nearest object, not all that lie under the mouse.
  function tapped(event) {
    const chosen = source.selected.indices;
    if (chosen.length < 2 || (event.modifiers && event.modifiers.shift)) return;
    const distance = (index) => Math.hypot(source.data.x[index] - event.x, source.data.y[index] - event.y);
    select([chosen.reduce((best, index) => (distance(index) < distance(best) ? index : best))]);
  }

  // Bokeh takes a click for one only if it lasts less than 0.3 s; slow hands and slow computers mean a click too.
  function pressed(event) {
    const { x, y } = source.data;
    const pixel = (plot.x_range.end - plot.x_range.start) / plot.inner_width;
    const distance = (index) => Math.hypot(x[index] - event.x, y[index] - event.y);
    let best = -1;
    for (let index = 0; index < count; index++) {
      if (visible.booleans[index] && (best < 0 || distance(index) < distance(best))) best = index;
    }
    if (best >= 0 && distance(best) <= REACH * pixel) select([best]);
  }

  function show(index) {
    if (source.selected.indices.length === 1 && source.selected.indices[0] === index) showObject(index);
    else select([index]);
    bringIntoView(index);
  }

  function bringIntoView(index) {
    const [x, y] = [source.data.x[index], source.data.y[index]];
    const [across, up] = [plot.x_range, plot.y_range];
    if (x >= across.start && x <= across.end && y >= up.start && y <= up.end) return;
    const [width, height] = [across.end - across.start, up.end - up.start];
    [across.start, across.end] = [x - width / 2, x + width / 2];
    [up.start, up.end] = [y - height / 2, y + height / 2];
  }

  function search(text) {
    const wanted = text.trim().toLocaleLowerCase();
    const found = [];
    if (wanted) {
      data.names.forEach((name, index) => {
        if (name.toLocaleLowerCase().includes(wanted)) found.push(index);
      });
    }
    select(found);
    if (wanted && !found.length) hint("No name has this part.");
  }

  function showList(chosen) {
    const button = make("button", { type: "button", id: "export", textContent: "Save the selection as CSV" });
    button.addEventListener("click", () => download(chosen));
    const list = make("ul", { id: "selection" }, ...chosen.slice(0, LISTED).map((i) => make("li", {}, objectButton(i))));
    const heading = make("h2", { textContent: `${chosen.length.toLocaleString("en")} objects selected` });
    const rest = chosen.length > LISTED ? [more(chosen.length - LISTED)] : [];
    element("details").replaceChildren(heading, button, list, ...rest);
  }

  function more(number) {
    return make("p", { className: "more", textContent: `and ${number.toLocaleString("en")} more` });
  }

  function csvOf(chosen) {
    const quoted = (value) => {
      const text = value === null ? "" : String(value);
      return /[",\n\r;]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const header = ["object", "x", "y", ...data.columns.map((column) => column.name)];
    const lines = chosen.map((index) => [
      data.names[index],
      source.data.x[index],
      source.data.y[index],
      ...data.columns.map((column) => column.values[index]),
    ]);
    return [header, ...lines].map((line) => line.map(quoted).join(",")).join("\n") + "\n";
  }

  function download(chosen) {
    const address = URL.createObjectURL(new Blob([csvOf(chosen)], { type: "text/csv;charset=utf-8" }));
    make("a", { href: address, download: "selection.csv" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  // One object: what is known, its neighbours, its answers -----------------------------------------------------------

  function showObject(index) {
    const known = make("dl", { id: "known" });
    for (const column of data.columns) {
      const value = column.values[index];
      if (value === null || value === "") continue;
      known.append(make("dt", { textContent: column.name }), make("dd", { textContent: value }));
    }
    const parts = [make("h2", { id: "object", textContent: data.names[index] }), known];
    const picture = data.images && data.images[index];
    if (picture) parts.splice(1, 0, make("img", { src: picture, alt: "" }));
    parts.push(make("h2", { textContent: "Nearest neighbours" }));
    parts.push(make("ul", { id: "neighbours" }, ...nearest(index).map((other) => make("li", {}, objectButton(other)))));
    if (rows) parts.push(...answersAbout(index));
    element("details").replaceChildren(...parts);
  }

  function link(index, others) {
    const { x, y } = source.data;
    links.data = {
      x: others.map(() => x[index]),
      y: others.map(() => y[index]),
      to_x: others.map((other) => x[other]),
      to_y: others.map((other) => y[other]),
    };
  }

  function nearest(index) {
    const size = data.n_components;
    const best = [];
    for (let other = 0; other < count; other++) {
      if (other === index) continue;
      let distance = 0;
      for (let axis = 0; axis < size; axis++) {
        const difference = embedding[other * size + axis] - embedding[index * size + axis];
        distance += difference * difference;
      }
      if (best.length < NEIGHBOURS || distance < best[best.length - 1][0]) {
        const place = best.findIndex(([farther]) => distance < farther);
        best.splice(place < 0 ? best.length : place, 0, [distance, other]);
        best.length = Math.min(best.length, NEIGHBOURS);
      }
    }
    return best.map(([, other]) => other);
  }

  function answersAbout(index) {
    const found = { agrees: [], contradicted: [] };
    for (let row = 0; row < agrees.length; row++) {
      if (rows[3 * row] === index || rows[3 * row + 1] === index || rows[3 * row + 2] === index) {
        found[agrees[row] ? "agrees" : "contradicted"].push(row);
      }
    }
    const [good, bad] = [found.agrees.length, found.contradicted.length];
    const sampled = data.answers.total > agrees.length ? " (of a sample)" : "";
    const summary = `The map agrees with ${good} answers about it and contradicts ${bad}${sampled}.`;
    const lists = Object.entries(found).map(([kind, those]) => answerList(kind, those, index));
    return [make("h2", { textContent: "Answers" }), make("p", { id: "agreement", textContent: summary }), ...lists.reverse()];
  }

  function answerList(kind, those, index) {
    const anchored = those.filter((row) => rows[3 * row] === index);
    const ordered = anchored.concat(those.filter((row) => rows[3 * row] !== index));
    const lines = ordered.slice(0, 50).map((row) => {
      const sign = make("span", { className: "sign", textContent: kind === "agrees" ? "✓" : "✗" });
      const [anchor, near, far] = [0, 1, 2].map((place) => data.names[rows[3 * row + place]]);
      const line = make("li", { className: kind }, sign, `${anchor}: more like ${near} than like ${far}`);
      if (wrong[row] > 50) line.append(make("span", { className: "wrong", textContent: `wrong at ${wrong[row]} %` }));
      return line;
    });
    const heading = kind === "agrees" ? "The map agrees" : "The map contradicts";
    const rest = ordered.length > 50 ? [more(ordered.length - 50)] : [];
    if (!lines.length) return make("div");
    return make("div", {}, make("h2", { textContent: heading }), make("ul", { className: kind }, ...lines), ...rest);
  }

  // Start ------------------------------------------------------------------------------------------------------------

  // A graphics card draws any number of points at once. Without one, WebGL is drawn by the processor, far slower than
  // Bokeh's plain drawing, which besides draws only some of many points while the map moves.
  function hasGraphicsCard() {
    const context = document.createElement("canvas").getContext("webgl", { failIfMajorPerformanceCaveat: true });
    if (!context) return false;
    const asked = context.getExtension("WEBGL_debug_renderer_info");
    const renderer = context.getParameter(asked ? asked.UNMASKED_RENDERER_WEBGL : context.RENDERER);
    return !/swiftshader|llvmpipe|softpipe|software|basic render/i.test(renderer);
  }

  async function draw() {
    const drawing = JSON.parse(element("drawing").textContent);
    drawing.doc.roots[0].attributes.output_backend = hasGraphicsCard() ? "webgl" : "canvas";
    const views = await Bokeh.embed.embed_item(drawing, "plot");
    start(views.roots[0]);
  }

  // Bokeh would draw the points grey while the map moves.
  function keepColours(view) {
    const points = [...view.renderer_views.values()].find((each) => each.model.data_source === source);
    const { fill_color, fill_alpha, line_color } = points.glyph.model;
    points.decimated_glyph.model.setv({ fill_color, fill_alpha, line_color });
  }

  function start(view) {
    const opened = view.model.document;
    [source, links, visible, plot] = ["points", "links", "visible", "map"].map((name) => opened.get_model_by_name(name));
    keepColours(view);
    const short = data.names.map((name) => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name));
    source.data = { ...source.data, name: data.names, short };
    if (data.images) source.data.image = data.images.map((address) => address || "data:,");
    const answers = data.answers ? `, ${data.answers.total.toLocaleString("en")} answers` : "";
    element("summary").textContent = `${count.toLocaleString("en")} objects${answers}`;
    const names = ["", ...data.columns.map((column) => column.name)];
    element("column").append(...names.map((name) => make("option", { value: name, textContent: name || "nothing" })));
    element("color-by").hidden = !data.columns.length;
    element("column").value = data.label || "";
    element("column").addEventListener("change", (event) => colourBy(event.target.value));
    element("search").addEventListener("input", (event) => search(event.target.value));
    source.selected.properties.indices.change.connect(selectionChanged);
    plot.on_event("tap", (event) => setTimeout(() => tapped(event), 0)); // after the points under it are selected
    plot.on_event("press", pressed);
    night.addEventListener("change", () => colourBy(element("column").value));
    colourBy(data.label || "");
    hint(WHAT_TO_DO);
    const ready = () => (document.body.dataset.ready = "yes");
    if (opened.is_idle) ready();
    else opened.idle.connect(ready);
  }

  draw();
})();
