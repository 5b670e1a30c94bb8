"use strict";
// Everything beside the points. Names come from people's files: they are put on the page with textContent only.
(() => {
  const NEIGHBOURS = 10;
  const LISTED = 200;
  const LONGEST = 28; // letters of a name beside a point
  const REACH = 8; // pixels
  const ENOUGH = 150; // pixels of details, to see a name and some of its neighbours
  const LETTERS = "11px"; // of names beside points, as in the drawing
  const LINE = 13; // pixels that such a name is high
  const NARROW = window.matchMedia("(max-width: 700px)"); // as in the style sheet

  const data = JSON.parse(document.getElementById("data").textContent);
  const count = data.names.length;
  const embedding = new Float32Array(unpack(data.embedding).buffer);
  const columns = data.columns.map(opened);
  const rows = data.answers && new Int32Array(unpack(data.answers.rows).buffer);
  const agrees = data.answers && unpack(data.answers.agrees);
  const wrong = data.answers && unpack(data.answers.wrong); // in percent
  // An answer such as "the odd one of three" gives several comparisons: which answer each is from, if that is so.
  const numbers = data.answers && data.answers.numbers && new Int32Array(unpack(data.answers.numbers).buffer);
  const element = (id) => document.getElementById(id);
  const night = window.matchMedia("(prefers-color-scheme: dark)");
  const theme = () => data.themes[night.matches ? "dark" : "light"];
  const WHAT_TO_DO =
    `Click an object for its neighbours${data.answers ? " and answers" : ""}. ` +
    "Choose the lasso above the map to select many.";
  const unlike = data.unlike && unpack(data.unlike);
  const RING = 14; // pixels
  // Further maps of the same objects: their places are columns x1, y1, ... of the same points, and so are their names.
  const others = data.others.map((other) => ({ ...other, embedding: new Float32Array(unpack(other.embedding).buffer) }));
  let source, links, visible, view, views, root, classes;
  let labels = new Array(count).fill("");
  let hidden = new Set();
  const isShown = (index) => !hidden.has(labels[index]);
  const placesOn = (number) => ["x", "y"].map((axis) => source.data[`${axis}${number || ""}`]);

  function unpack(text) {
    const letters = atob(text);
    const bytes = new Uint8Array(letters.length);
    for (let place = 0; place < letters.length; place++) bytes[place] = letters.charCodeAt(place);
    return bytes;
  }

  // A column as a list of texts or numbers, null where there is none.
  function opened(column) {
    if (column.classes) {
      const codes = new Int32Array(unpack(column.codes).buffer);
      return { ...column, values: Array.from(codes, (code) => column.classes[code]) };
    }
    const numbers = new Float64Array(unpack(column.numbers).buffer);
    return { ...column, values: Array.from(numbers, (number) => (Number.isFinite(number) ? number : null)) };
  }

  function make(tag, properties = {}, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  }

  function hint(text, ...more) {
    element("details").replaceChildren(make("p", { className: "hint", textContent: text }), ...more);
    element("said").textContent = text;
  }

  // What was asked for on the map is within sight, also where the details are below a long legend.
  function reveal() {
    const around = document.querySelector("aside");
    const [inside, outside] = [element("details"), around].map((each) => each.getBoundingClientRect());
    const isSeen = inside.top >= outside.top && inside.top + ENOUGH < outside.bottom;
    if (!isSeen || NARROW.matches) around.scrollTop += inside.top - outside.top;
  }

  function objectButton(index) {
    const button = make("button", { className: "object", type: "button", textContent: data.names[index] });
    button.addEventListener("click", () => show(index));
    return button;
  }

  // Colours and legend ---------------------------------------------------------------------------------------------

  function colourBy(name) {
    const column = columns.find((each) => each.name === name);
    if (hidden.size) visible.booleans = null;
    hidden = new Set();
    element("legend").replaceChildren();
    const looks = { color: new Array(count).fill(theme().colors[0]) };
    labels = new Array(count).fill("");
    if (column) {
      labels = column.values.map((value) => (value === null ? "" : String(value)));
      (column.classes ? colourClasses : colourNumbers)(column, looks);
    }
    source.data = { ...source.data, ...looks, label: labels, ink: new Array(count).fill(theme().ink) };
    nameClasses(column);
    if (data.n_behind) {
      const text = `● ${data.n_behind.toLocaleString("en")} of the map, pale behind`;
      element("legend").append(make("p", { className: "hint", textContent: text }));
    }
    if (unlike) {
      const rings = unlike.reduce((total, one) => total + one, 0);
      const text = `○ ${rings.toLocaleString("en")} hardly belong to the map`;
      if (rings) element("legend").append(make("p", { className: "hint", textContent: text }));
    }
  }

  // The name of each class that is shown, at that of its objects which is nearest to their median.
  function nameClasses(column) {
    const named = { x: [], y: [], text: [], ink: [] };
    const { x, y } = source.data;
    for (const label of data.class_names && column && column.classes ? column.classes : []) {
      const members = labels.flatMap((each, index) => (label && each === label && isShown(index) ? [index] : []));
      if (!members.length) continue;
      const middle = (values) => members.map((index) => values[index]).sort((a, b) => a - b)[Math.floor(members.length / 2)];
      const [across, up] = [middle(x), middle(y)];
      const away = (index) => Math.hypot(x[index] - across, y[index] - up);
      const nearest = members.reduce((best, index) => (away(index) < away(best) ? index : best));
      named.x.push(x[nearest]);
      named.y.push(y[nearest]);
      named.text.push(label);
      named.ink.push(theme().ink);
    }
    classes.data = named;
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
    const look = new Map(column.classes.map((label, rank) => [label, column.colors[rank] || classColour(rank)]));
    look.set("", theme().unknown);
    const ordered = column.classes.filter((label) => sizes.has(label));
    labels.forEach((label, index) => {
      looks.color[index] = look.get(label);
    });
    element("legend").append(...ordered.slice(0, LISTED).map((label) => legendButton(label, look.get(label), sizes)));
    if (ordered.length > LISTED) element("legend").append(more(ordered.length - LISTED));
  }

  function classColour(rank) {
    // Shades of the clear colours, because markers that differ from point to point go wrong in WebGL.
    const { colors, shades } = theme();
    return mixed(colors[rank % colors.length], ...shades[Math.floor(rank / colors.length) % shades.length]);
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
    });
    return button;
  }

  function showVisible() {
    visible.booleans = labels.map((label) => !hidden.has(label));
    source.change.emit();
    nameClasses(columns.find((each) => each.name === element("column").value));
    if (source.selected.indices.length) selectionChanged();
  }

  function showAllGroups() {
    hidden = new Set();
    element("legend").querySelectorAll("button").forEach((button) => button.setAttribute("aria-pressed", "true"));
    showVisible();
  }

  // Selection, search, export --------------------------------------------------------------------------------------

  function select(indices) {
    source.selected.indices = indices;
  }

  function selectionChanged() {
    const chosen = source.selected.indices.filter(isShown);
    const unseen = hiddenNote(source.selected.indices.length - chosen.length);
    link(chosen.length === 1 ? chosen[0] : null, chosen.length === 1 ? nearest(chosen[0]) : []);
    if (chosen.length === 1) showObject(chosen[0], unseen);
    else if (chosen.length > 1) showList(chosen, unseen);
    else if (unseen.length) element("details").replaceChildren(...unseen);
    else hint(`Nothing is selected. ${WHAT_TO_DO}`);
  }

  // What is selected, or found, in groups that are hidden now.
  function hiddenNote(number) {
    if (!number) return [];
    const text = `${number.toLocaleString("en")} selected ${number === 1 ? "object is in a hidden group" : "objects are in hidden groups"}.`;
    const button = make("button", { type: "button", id: "show-all", textContent: "Show all groups" });
    button.addEventListener("click", showAllGroups);
    element("said").textContent = text;
    return [make("p", { className: "hint", id: "in-hidden", textContent: text }), button];
  }

  // A click in a crowd means the nearest object, not all that lie under the mouse.
  function tapped(event, [x, y]) {
    const chosen = source.selected.indices;
    const distance = (index) => Math.hypot(x[index] - event.x, y[index] - event.y);
    if (chosen.length > 1 && !(event.modifiers && event.modifiers.shift)) {
      select([chosen.reduce((best, index) => (distance(index) < distance(best) ? index : best))]);
    }
    if (chosen.length) reveal();
  }

  // Bokeh takes a click for one only if it lasts less than 0.3 s; slow hands and slow computers mean a click too.
  function pressed(event, [x, y], { x_range, inner_width }) {
    const pixel = (x_range.end - x_range.start) / inner_width;
    const best = nearestTo(x, y, [event.x, event.y], isShown);
    if (best < 0 || Math.hypot(x[best] - event.x, y[best] - event.y) > REACH * pixel) return;
    select([best]);
    reveal();
  }

  // Arrow keys go from object to object; the first one goes to the middle of what is in sight.
  function keyPressed(event, [x, y], { x_range, y_range }) {
    if (event.key === "Escape") select([]);
    if (!(event.key in ARROWS) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const chosen = source.selected.indices.filter(isShown);
    const middle = [x_range, y_range].map((range) => (range.start + range.end) / 2);
    const next =
      chosen.length === 1 ? nextObject(x, y, chosen[0], ARROWS[event.key], isShown) : nearestTo(x, y, middle, isShown);
    if (next < 0) return;
    show(next);
    if (NARROW.matches) reveal();
  }

  function show(index) {
    if (source.selected.indices.length === 1 && source.selected.indices[0] === index) showObject(index);
    else select([index]);
    bringIntoView(index);
  }

  function bringIntoView(index) {
    views.forEach(({ model: { x_range: across, y_range: up } }, number) => {
      const [x, y] = placesOn(number).map((places) => places[index]);
      if (x >= across.start && x <= across.end && y >= up.start && y <= up.end) return;
      look(across, x, across.end - across.start);
      look(up, y, up.end - up.start);
    });
  }

  function look(range, middle, width) {
    range.have_updated_interactively = true; // else Bokeh goes back to the whole map when the points change
    range.setv({ start: middle - width / 2, end: middle + width / 2 });
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
    else if (!found.length) hint(WHAT_TO_DO);
  }

  function showList(chosen, unseen) {
    const button = make("button", { type: "button", id: "export", textContent: "Save the selection as CSV" });
    button.addEventListener("click", () => download(chosen));
    const list = make("ul", { id: "selection" }, ...chosen.slice(0, LISTED).map((i) => make("li", {}, objectButton(i))));
    const heading = make("h2", { textContent: `${chosen.length.toLocaleString("en")} objects selected` });
    const rest = chosen.length > LISTED ? [more(chosen.length - LISTED)] : [];
    element("details").replaceChildren(heading, ...unseen, button, list, ...rest);
    if (!unseen.length) element("said").textContent = heading.textContent;
  }

  function more(number) {
    return make("p", { className: "more", textContent: `and ${number.toLocaleString("en")} more` });
  }

  function csvOf(chosen) {
    const quoted = (value) => {
      const text = value === null ? "" : String(value);
      return /[",\n\r;]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const header = ["object", "x", "y", ...columns.map((column) => column.name)];
    const lines = chosen.map((index) => [
      data.names[index],
      source.data.x[index],
      source.data.y[index],
      ...columns.map((column) => column.values[index]),
    ]);
    return [header, ...lines].map((line) => line.map(quoted).join(",")).join("\n") + "\n";
  }

  function download(chosen) {
    offer(new Blob([csvOf(chosen)], { type: "text/csv;charset=utf-8" }), "selection.csv");
  }

  function offer(content, name) {
    const address = URL.createObjectURL(content);
    make("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  // One object: what is known, its neighbours, its answers -----------------------------------------------------------

  function showObject(index, unseen = []) {
    const known = make("dl", { id: "known" });
    for (const column of columns) {
      const value = column.values[index];
      if (value === null || value === "") continue;
      known.append(make("dt", { textContent: column.name }), make("dd", { textContent: value }));
    }
    const parts = [make("h2", { id: "object", textContent: data.names[index] }), known];
    const picture = data.images && data.images[index];
    if (picture) parts.splice(1, 0, make("img", { src: picture, alt: "" }));
    parts.push(make("h2", { textContent: "Nearest neighbours" }));
    parts.push(make("ul", { id: "neighbours" }, ...nearest(index).map((other) => make("li", {}, objectButton(other)))));
    for (const { name, embedding, n_components } of others) {
      const near = nearest(index, embedding, n_components);
      parts.push(make("h2", { textContent: `Nearest neighbours, ${name}` }));
      parts.push(make("ul", { className: "neighbours" }, ...near.map((other) => make("li", {}, objectButton(other)))));
    }
    if (rows) parts.push(make("div", { className: "answers" }, ...answersAbout(index)));
    element("details").replaceChildren(...parts, ...unseen);
    if (!unseen.length) element("said").textContent = [data.names[index], labels[index]].filter(Boolean).join(", ");
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

  function nearest(index, places = embedding, size = data.n_components) {
    const best = [];
    for (let other = 0; other < count; other++) {
      if (other === index) continue;
      let distance = 0;
      for (let axis = 0; axis < size; axis++) {
        const difference = places[other * size + axis] - places[index * size + axis];
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
    const from = numbers && new Set([...found.agrees, ...found.contradicted].map((row) => numbers[row])).size;
    const what = numbers ? `comparisons about it, from ${from} answers,` : "answers about it";
    const summary = `The map agrees with ${good} ${what} and contradicts ${bad}${sampled}.`;
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
    const drawn = drawing.doc.roots[0];
    const figures = others.length ? drawn.attributes.children : [drawn];
    for (const figure of figures) figure.attributes.output_backend = hasGraphicsCard() ? "webgl" : "canvas";
    const opened = await Bokeh.embed.embed_item(drawing, "plot");
    start(opened.roots[0]);
  }

  // Bokeh would draw the points grey while the map moves.
  function keepColours(view) {
    const points = [...view.renderer_views.values()].find((each) => each.model.data_source === source);
    const { fill_color, fill_alpha, line_color } = points.glyph.model;
    points.decimated_glyph.model.setv({ fill_color, fill_alpha, line_color });
  }

  // Names beside points ----------------------------------------------------------------------------------------------

  function writeNames() {
    source.data = Object.assign({ ...source.data }, ...views.map(({ model }, number) => namesOn(model, number || "")));
  }

  function namesOn({ x_range: across, y_range: up, inner_width: width, inner_height: height }, number) {
    const [x, y] = placesOn(number);
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = `${LETTERS} helvetica`;
    const short = data.names.map((name) => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name));
    const points = short.map((_, index) => [
      ((x[index] - across.start) / (across.end - across.start)) * width,
      ((up.end - y[index]) / (up.end - up.start)) * height,
    ]);
    const sizes = short.map((name) => [pen.measureText(name).width, LINE]);
    const radius = radiusOfPoints();
    const sides = placeNames(points, sizes, [width, height], radius);
    return {
      [`written${number}`]: short.map((name, index) => (sides[index] ? name : "")),
      [`align${number}`]: sides.map((side) => (side ? ["right", "center", "left"][side[0] + 1] : "left")),
      [`aside${number}`]: sides.map((side) => (side ? side[0] * (radius + 3) : 0)),
      [`below${number}`]: sides.map((side) => (side ? side[1] * (radius + (side[0] ? 0 : 2) + LINE / 2) : 0)),
    };
  }

  function radiusOfPoints() {
    const points = [...view.renderer_views.values()].find((each) => each.model.data_source === source && each.model.glyph.size);
    return points.model.glyph.size.value / 2;
  }

  // Once the maps have come to rest: what is in sight has changed, and where there is room.
  function keepNamesApart() {
    if (!source.document.get_model_by_name("names")) return;
    let waiting = null;
    const later = () => {
      clearTimeout(waiting);
      waiting = setTimeout(writeNames, 60);
    };
    for (const { model } of views) {
      const { inner_width, inner_height } = model.properties;
      const watched = [model.x_range, model.y_range].flatMap((range) => [range.properties.start, range.properties.end]);
      for (const property of [...watched, inner_width, inner_height]) property.change.connect(later);
    }
    writeNames();
  }

  // Tools ------------------------------------------------------------------------------------------------------------

  function useTools() {
    const buttons = [...document.querySelectorAll("#tools [data-tool]")];
    const toolOf = (plot, button) => plot.toolbar.tools.find((tool) => tool.type === button.dataset.tool);
    for (const button of buttons) {
      const [tool, ...same] = views.map(({ model }) => toolOf(model, button));
      button.addEventListener("click", () => [tool, ...same].forEach((each) => (each.active = true)));
      tool.properties.active.change.connect(() => button.setAttribute("aria-pressed", String(tool.active)));
    }
    element("zoom-in").addEventListener("click", () => zoom(1 / 1.5));
    element("zoom-out").addEventListener("click", () => zoom(1.5));
    element("reset").addEventListener("click", () => views.forEach((each) => each.reset_range()));
    element("save").addEventListener("click", savePicture);
  }

  function zoom(factor) {
    for (const range of views.flatMap(({ model }) => [model.x_range, model.y_range])) {
      look(range, (range.start + range.end) / 2, (range.end - range.start) * factor);
    }
  }

  function savePicture() {
    const drawn = root.export("png").canvas;
    const picture = Object.assign(document.createElement("canvas"), { width: drawn.width, height: drawn.height });
    const pen = picture.getContext("2d");
    pen.fillStyle = getComputedStyle(document.body).backgroundColor;
    pen.fillRect(0, 0, drawn.width, drawn.height);
    pen.drawImage(drawn, 0, 0);
    picture.toBlob((content) => offer(content, "map.png"));
  }

  // ------------------------------------------------------------------------------------------------------------------

  function start(opened) {
    root = opened;
    views = others.length ? opened.child_views : [opened];
    view = views[0];
    const drawing = view.model.document;
    const models = ["points", "links", "visible", "classes"].map((name) => drawing.get_model_by_name(name));
    [source, links, visible, classes] = models;
    views.forEach(keepColours);
    fill();
    const { total, answers } = data.answers || {};
    const comparisons = answers === total ? "" : ` (${(total || 0).toLocaleString("en")} comparisons)`;
    const given = data.answers ? `, ${answers.toLocaleString("en")} answers${comparisons}` : "";
    element("summary").textContent = `${count.toLocaleString("en")} objects${given}`;
    const names = ["", ...columns.map((column) => column.name)];
    element("column").append(...names.map((name) => make("option", { value: name, textContent: name || "nothing" })));
    element("color-by").hidden = !columns.length;
    element("column").value = data.label || "";
    element("column").addEventListener("change", (event) => colourBy(event.target.value));
    element("search").addEventListener("input", (event) => search(event.target.value));
    source.selected.properties.indices.change.connect(selectionChanged);
    views.forEach(({ model, el, canvas_view }, number) => {
      model.on_event("tap", (event) => setTimeout(() => tapped(event, placesOn(number)), 0)); // after the points are selected
      model.on_event("press", (event) => pressed(event, placesOn(number), model));
      const called = [`Map of ${count.toLocaleString("en")} objects`, model.title.text].filter(Boolean).join(", ");
      const ariaLabel = `${called}. Arrow keys go from object to object.`;
      Object.assign(el, { tabIndex: 0, role: "application", ariaRoleDescription: "map", ariaLabel });
      canvas_view.events_el.tabIndex = -1; // a click focuses what is inside the map, the Tab key the map alone
      el.addEventListener("keydown", (event) => keyPressed(event, placesOn(number), model));
    });
    night.addEventListener("change", () => colourBy(element("column").value));
    useTools();
    colourBy(data.label || "");
    keepNamesApart();
    hint(WHAT_TO_DO);
    const afterPainting = (what) => requestAnimationFrame(() => requestAnimationFrame(what));
    const ready = () => afterPainting(() => (document.body.dataset.ready = "yes"));
    if (drawing.is_idle) ready();
    else drawing.idle.connect(ready);
  }

  // The points with all that the drawing needs of them; it is told with their colours, so that they are drawn once.
  function fill() {
    const none = new Array(count).fill("");
    const zeros = new Float64Array(count);
    const [x, y, ...shapes] = [data.x, data.y, ...(data.ellipses || [])].map((text) => new Float64Array(unpack(text).buffer));
    const [width, height, angle] = shapes.length ? shapes : [zeros, zeros, zeros];
    const image = data.images ? data.images.map((address) => address || "data:,") : none;
    const ring = Float64Array.from(zeros, (_, index) => (unlike && unlike[index] ? RING : NaN));
    const looks = { name: data.names, label: none, image, color: none, ink: none, ring };
    const written = { written: none, align: new Array(count).fill("left"), aside: zeros, below: zeros };
    const beside = others.flatMap((other, number) => {
      const [x, y] = [other.x, other.y].map((text) => new Float64Array(unpack(text).buffer));
      return Object.entries({ x, y, ...written }).map(([name, values]) => [`${name}${number + 1}`, values]);
    });
    source.setv({ data: { x, y, ...looks, ...written, width, height, angle, ...Object.fromEntries(beside) } }, { silent: true });
  }

  draw();
})();
