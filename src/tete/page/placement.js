// Which names are written beside their points, and on which side: none covers another name or a point. The same rule as
// in `tete.drawing.label_placement`, for the part of the map that is in sight.
const SIDES = [[1, 0], [-1, 0], [0, -1], [0, 1], [1, -1], [1, 1], [-1, -1], [-1, 1]]; // right and down, in pixels

// `points` are [left, top] in pixels, `sizes` [width, height] of names, `frame` [width, height] of the map; the result has
// for each point its side, or null where there is no room.
function placeNames(points, sizes, frame, radius) {
  const taken = points.map(([left, top]) => [left - radius, top - radius, left + radius, top + radius]);
  const overlap = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
  const inside = (box) => box[0] >= 0 && box[1] >= 0 && box[2] <= frame[0] && box[3] <= frame[1];
  const sides = points.map(() => null);
  for (const index of lonelyFirst(points)) {
    const [width, height] = sizes[index];
    sides[index] =
      SIDES.find(([right, down]) => {
        const left = points[index][0] + right * (radius + 3) + (width * (right - 1)) / 2;
        const top = points[index][1] + down * (radius + (right ? 0 : 2)) + (height * (down - 1)) / 2;
        const box = [left, top, left + width, top + height];
        const free = inside(box) && !taken.some((other, number) => number !== index && overlap(box, other));
        if (free) taken.push(box);
        return free;
      }) || null;
  }
  return sides;
}

// The points with the most room come first.
function lonelyFirst(points) {
  const room = points.map(([x, y], index) =>
    points.reduce((least, [u, v], other) => (other === index ? least : Math.min(least, Math.hypot(u - x, v - y))), Infinity)
  );
  return points.map((_, index) => index).sort((a, b) => room[b] - room[a] || a - b);
}
