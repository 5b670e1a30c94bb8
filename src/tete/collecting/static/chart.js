// A small chart of a learning curve: points with their standard errors, axes with round numbers.

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [360, 224];
const [LEFT, RIGHT, TOP, BOTTOM] = [60, 14, 10, 44];

function draw(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Round numbers that divide a range into a few parts. */
export function ticks(low, high, most = 5) {
  const raw = (high - low) / most || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((each) => each >= raw * 0.999);
  const found = [];
  const [first, last] = [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
  for (let count = first; count <= last; count += 1) found.push(count * step + 0); // + 0: never minus zero
  return found;
}

const percent = (share) => `${Number((100 * share).toFixed(1))} %`;

/** The curve as an element, with a description for screen readers. */
export function learningCurve(points) {
  const spread = (point) => point.standard_error ?? 0;
  const right = Math.max(...points.map((point) => point.answers)) * 1.04;
  const low = Math.max(0, Math.min(...points.map((point) => point.error - spread(point))));
  const high = Math.max(...points.map((point) => point.error + spread(point)));
  const room = 0.12 * (high - low || 0.1);
  const [floor, ceiling] = [Math.max(0, low - room), high + room];
  const x = (answers) => LEFT + (answers / right) * (WIDTH - LEFT - RIGHT);
  const y = (error) => HEIGHT - BOTTOM - ((error - floor) / (ceiling - floor)) * (HEIGHT - TOP - BOTTOM);
  const said = points.map((point) => `${point.answers} answers: ${percent(point.error)}`).join("; ");
  const chart = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img" });
  chart.setAttribute("aria-label", `Held-out error. ${said}`);
  for (const error of ticks(floor, ceiling)) {
    chart.append(
      draw("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(error), y2: y(error), class: "grid" }),
      draw("text", { x: LEFT - 8, y: y(error) + 4, class: "tick end" }, percent(error)),
    );
  }
  for (const answers of ticks(0, right)) {
    chart.append(
      draw("line", { x1: x(answers), x2: x(answers), y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM + 5, class: "axis" }),
      draw("text", { x: x(answers), y: HEIGHT - BOTTOM + 19, class: "tick middle" }, answers.toLocaleString("en")),
    );
  }
  const sideways = `translate(12 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)`;
  const line = points.map((point) => `${x(point.answers)},${y(point.error)}`).join(" ");
  chart.append(
    draw("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM, class: "axis" }),
    draw("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 8, class: "label middle" }, "answers"),
    draw("text", { transform: sideways, class: "label middle" }, "held-out error"),
    draw("polyline", { points: line, class: "curve" }),
  );
  for (const point of points) {
    const [at, from, to] = [x(point.answers), y(point.error - spread(point)), y(point.error + spread(point))];
    const answers = point.answers.toLocaleString("en");
    const title = draw("title", {}, `${answers} answers: ${percent(point.error)} ± ${percent(spread(point))}`);
    const bar = draw("line", { x1: at, x2: at, y1: from, y2: to, class: "spread" });
    chart.append(draw("g", {}, title, bar, draw("circle", { cx: at, cy: y(point.error), r: 4, class: "point" })));
  }
  return chart;
}

/** A share with its interval on a line from 50 % (guessing) to 100 %. */
export function interval({ accuracy, low, high }) {
  const x = (share) => 8 + Math.min(1, Math.max(0, (share - 0.5) / 0.5)) * 284;
  const chart = draw("svg", { viewBox: "0 0 300 40", class: "interval", "aria-hidden": "true" });
  chart.append(draw("line", { x1: 8, x2: 292, y1: 12, y2: 12, class: "track" }));
  chart.append(draw("line", { x1: x(low), x2: x(high), y1: 12, y2: 12, class: "range" }));
  chart.append(draw("circle", { cx: x(accuracy), cy: 12, r: 6, class: "point" }));
  chart.append(
    draw("text", { x: x(0.5), y: 36, class: "tick" }, "50 % (guessing)"),
    draw("text", { x: x(0.75), y: 36, class: "tick middle" }, "75 %"),
    draw("text", { x: x(1), y: 36, class: "tick end" }, "100 %"),
  );
  return chart;
}
