"use strict";

// The sliders of "Zero-shot learning in an afternoon": what the package computes, computed again
// wherever a slider stands.
document.addEventListener("DOMContentLoaded", () => {
  for (const figure of document.querySelectorAll(".afternoon")) {
    const numbers = JSON.parse(figure.dataset.numbers);
    const draw = (figure.matches(".gamma") ? gammaCurve : hubPlane)(figure, numbers);
    const inputs = [...figure.querySelectorAll("input")];
    const move = () => draw(...inputs.map((input) => Number(input.value)));
    for (const input of inputs) input.addEventListener("input", move);
    move();
    figure.hidden = false;
  }
});

function add(parent, tag, attributes, text = "") {
  const part = document.createElementNS("http://www.w3.org/2000/svg", tag);
  set(part, attributes).textContent = text;
  return parent.appendChild(part);
}

function set(part, attributes) {
  for (const [name, value] of Object.entries(attributes)) part.setAttribute(name, value);
  return part;
}

function picture(figure, label) {
  const box = { viewBox: "0 0 300 300", role: "img", "aria-label": label };
  return add(figure.querySelector("div"), "svg", box);
}

// W = (X'X + penalty I)^-1 X'Y by elimination; the points times W.
function ridge(X, Y, penalty, points) {
  const d = X[0].length;
  const range = [...Array(d).keys()];
  const inner = (A, i, B, j) => A.reduce((sum, row, n) => sum + row[i] * B[n][j], 0);
  const rows = range.map((i) => [
    ...range.map((j) => inner(X, i, X, j) + (i === j ? penalty : 0)),
    ...range.map((j) => inner(X, i, Y, j)),
  ]);
  for (const k of range) {
    rows[k] = rows[k].map((value) => value / rows[k][k]);
    for (const i of range) {
      if (i !== k) rows[i] = rows[i].map((value, j) => value - rows[i][k] * rows[k][j]);
    }
  }
  const times = (x, j) => x.reduce((sum, value, i) => sum + value * rows[i][d + j], 0);
  return points.map((x) => range.map((j) => times(x, j)));
}

function nearest(queries, targets) {
  const distance = (q, t) => t.reduce((sum, value, i) => sum + (value - q[i]) ** 2, 0);
  return queries.map((q) => {
    const all = targets.map((t) => distance(q, t));
    return all.indexOf(Math.min(...all));
  });
}

function hubPlane(figure, world) {
  const [shownPenalty, shownDimension] = figure.querySelectorAll("label b");
  const told = figure.querySelectorAll("output");
  const plane = picture(figure, "Targets as dots, the larger the more queries find them; mapped "
    + "queries as crosses, each with a line to its target");
  const chart = picture(figure, "How many queries each target answers, most first: above under "
    + "ridge, below under reverse ridge");
  const reach = Math.max(...world.slice(2).flat().flatMap(([x, y]) => [Math.abs(x), Math.abs(y)]));
  const place = ([x, y]) => [150 + (140 * x) / reach, 150 - (140 * y) / reach];
  const n = world[3].length;
  const each = (parent, tag, attributes) =>
    world[3].map(() => add(parent, tag, attributes));
  const ties = each(plane, "path", { stroke: "#bbb" });
  const dots = each(plane, "circle", {});
  const crosses = each(plane, "path", { d: "M-3-3 3 3M3-3-3 3", stroke: "#000" });
  const bars = ["ridge", "reverse ridge"].map((name, side) => {
    const floor = 140 + 150 * side;
    add(chart, "path", { d: `M0 ${floor}H300`, stroke: "#888" });
    add(chart, "text", { x: 300, y: floor - 95, "text-anchor": "end" }, name);
    return each(chart, "rect", { width: 240 / n, fill: side ? "#56B4E9" : "#D55E00" });
  });
  return (stop, dimension) => {
    const penalty = 10 ** (stop / 8);
    shownPenalty.textContent = Number(penalty.toPrecision(2));
    shownDimension.textContent = dimension;
    const [X, Y, queries, targets] = world.map((points) =>
      points.map((row) => row.slice(0, dimension)));
    const mapped = ridge(X, Y, penalty, queries);
    const swapped = ridge(Y, X, penalty, targets);
    [nearest(mapped, targets), nearest(queries, swapped)].forEach((answers, side) => {
      const counts = targets.map((_, t) => answers.filter((answer) => answer === t).length);
      const most = Math.max(...counts);
      const right = answers.filter((answer, i) => answer === i).length;
      told[side].textContent = `largest hub ${most} of ${n} queries, ${right} right`;
      [...counts].sort((a, b) => b - a).forEach((count, j) => {
        const [x, y] = [(300 * j) / n, 140 + 150 * side - 2 * count];
        set(bars[side][j], { x, y, height: 2 * count });
      });
      if (side) return;
      dots.forEach((dot, t) => {
        const [cx, cy] = place(targets[t]);
        const fill = counts[t] === most ? "#D55E00" : "#0072B2";
        set(dot, { cx, cy, fill, r: 2.5 + 1.6 * Math.sqrt(counts[t]) });
      });
      mapped.forEach((point, i) => {
        set(crosses[i], { transform: `translate(${place(point)})` });
        set(ties[i], { d: `M${place(point)}L${place(targets[answers[i]])}` });
      });
    });
  };
}

function gammaCurve(figure, { points, pictures }) {
  const told = figure.querySelectorAll("output");
  const svg = picture(figure, "Accuracy on unseen classes against that on seen classes, with lines "
    + "of equal H and a mark for the present γ");
  const reach = 1.1 * Math.max(...points.flatMap(([, seen, unseen]) => [seen, unseen]));
  const place = ([seen, unseen]) => [40 + (255 * seen) / reach, 260 - (255 * unseen) / reach];
  const line = (pairs, attributes) =>
    add(svg, "polyline", { points: pairs.map(place).join(" "), fill: "none", ...attributes });
  line([[0, reach], [0, 0], [reach, 0]], { stroke: "#888" });
  const middle = { "text-anchor": "middle" };
  for (let t = 0; t < reach; t += 20) {
    add(svg, "text", { x: place([t, 0])[0], y: 275, ...middle }, t);
    if (t) add(svg, "text", { x: 35, y: place([0, t])[1] + 4, "text-anchor": "end" }, t);
    // Where H is t: u = t s / (2 s - t).
    const low = (t * reach) / (2 * reach - t);
    const seen = [...Array(41).keys()].map((i) => low + ((reach - low) * i) / 40);
    if (!t) continue;
    line(seen.map((s) => [s, (t * s) / (2 * s - t)]), { stroke: "#ccc" });
    const [x, y] = place([reach, low]);
    add(svg, "text", { x, y: y - 3, "text-anchor": "end" }, `H = ${t}`);
  }
  add(svg, "text", { x: 165, y: 293, ...middle }, "accuracy on seen classes, %");
  const turned = { transform: "rotate(-90 12 135)", x: 12, y: 135, ...middle };
  add(svg, "text", turned, "accuracy on unseen classes, %");
  line(points.map((row) => row.slice(1, 3)), { stroke: "#0072B2", "stroke-width": 2 });
  const mark = add(svg, "circle", { r: 6, fill: "#D55E00" });
  return (step) => {
    const [gamma, ...accuracies] = points[step];
    const [cx, cy] = place(accuracies);
    set(mark, { cx, cy });
    figure.querySelector("label b").textContent = gamma.toFixed(3);
    const [seen, unseen, h] = accuracies.map((value) => `${value.toFixed(1)}%`);
    pictures.forEach(({ name, answers, flip }, i) => {
      const answer = answers[Number(gamma >= flip)];
      told[i].textContent = `${answer} ${answer === name ? "✓" : "✗"}`;
    });
    told[pictures.length].textContent = `seen ${seen}, unseen ${unseen}, H ${h}`;
  };
}
