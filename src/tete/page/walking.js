// From object to object with the arrow keys.
const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

// The nearest object in the quarter of the map that an arrow points to, or -1. Of objects in one place, right goes to the
// next and left to the one before.
function nextObject(x, y, from, [right, up], isShown) {
  let best = -1;
  let least = Infinity;
  for (let other = 0; other < x.length; other++) {
    if (other === from || !isShown(other)) continue;
    const [across, along] = [x[other] - x[from], y[other] - y[from]];
    const ahead = right * across + up * along;
    const aside = Math.abs(up * across) + Math.abs(right * along);
    const sameplace = ahead === 0 && aside === 0;
    if (sameplace ? right * (other - from) <= 0 : ahead <= 0 || aside > ahead) continue;
    const distance = sameplace ? (right * (other - from) - x.length) / x.length : Math.hypot(ahead, aside);
    if (distance < least) [best, least] = [other, distance];
  }
  return best;
}

// The object nearest to a place, or -1.
function nearestTo(x, y, [left, top], isShown) {
  let best = -1;
  let least = Infinity;
  for (let index = 0; index < x.length; index++) {
    const distance = Math.hypot(x[index] - left, y[index] - top);
    if (distance < least && isShown(index)) [best, least] = [index, distance];
  }
  return best;
}
