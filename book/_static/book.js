"use strict";

// Browsers refuse to fetch one file from another: without a server, search results have no excerpt.
if (location.protocol === "file:") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}

document.addEventListener("DOMContentLoaded", () => {
  // The theme's arrows that unfold a part of the contents have no name.
  for (const summary of document.querySelectorAll("nav summary:not([aria-label])")) {
    const link = summary.closest("li")?.querySelector("a");
    summary.setAttribute("aria-label", `Pages of ${link?.textContent.trim() || "this part"}`);
  }

  // Excerpts are of the page's own text, without the theme's buttons and contents around it.
  if (typeof Search !== "undefined") {
    const words = Search.htmlToText;
    Search.htmlToText = (page, anchor) => {
      const article = new DOMParser().parseFromString(page, "text/html").querySelector("article");
      return words(article ? `<main role="main">${article.innerHTML}</main>` : page, anchor);
    };
  }

  filterEntries();
  switchCode();
  openTarget();
  // A table, drawing or formula wider than its place says that it scrolls.
  const mark = () => {
    for (const box of document.querySelectorAll(".pst-scrollable-table-container, figure > a")) {
      box.classList.toggle("scrolls", box.scrollWidth > box.clientWidth + 1);
    }
    for (const formula of document.querySelectorAll("div.math")) {
      const [box, drawn] = ["mjx-container", "mjx-math"].map((name) => formula.querySelector(name));
      const width = drawn?.getBoundingClientRect().width ?? 0;
      formula.classList.toggle("scrolls", width > (box?.clientWidth ?? 0) + 4);
    }
  };
  mark();
  window.addEventListener("resize", mark);
  document.addEventListener("toggle", mark, true);
  window.MathJax?.startup?.promise?.then(mark);
});
window.addEventListener("hashchange", openTarget);

// Scorecard and errata: the lines that have what is chosen above them, and the groups they are in.
function filterEntries() {
  const form = document.querySelector(".entry-filter");
  if (!form) return;
  const show = () => {
    const wanted = [...new FormData(form)].filter(([, value]) => value);
    let shown = 0;
    for (const entry of document.querySelectorAll(".entry")) {
      const has = ([name, value]) =>
        entry.dataset[name] === value ||
        (name === "data" && entry.dataset.data.split(" ").includes(value));
      entry.hidden = !wanted.every(has);
      shown += !entry.hidden;
    }
    for (const group of document.querySelectorAll(".entries, section:has(.entries)")) {
      if (group.querySelector(":scope > h1")) continue;
      group.hidden = !group.querySelector(".entry:not([hidden])");
      if (group.matches("details") && wanted.length) group.open = true;
    }
    form.querySelector("output").textContent = wanted.length ? `${shown} shown` : "";
  };
  form.addEventListener("change", show);
  form.hidden = false;
  show();
}

// One button opens and folds all code of a page; what was chosen holds for the next page too.
function switchCode() {
  const folds = document.querySelectorAll(".cell:not(.tag_hide-cell) > details.hide");
  const place = document.querySelector(".article-header-buttons");
  if (!folds.length || !place) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "btn btn-sm code-switch";
  const show = (open) => {
    button.textContent = open ? "Hide code" : "Show code";
    for (const fold of folds) fold.open = open;
  };
  button.addEventListener("click", () => {
    const open = localStorage.getItem("code") !== "shown";
    localStorage.setItem("code", open ? "shown" : "folded");
    show(open);
  });
  show(localStorage.getItem("code") === "shown");
  place.prepend(button);
}

// A link into what is folded opens it.
function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const folds = [];
  for (let part = target?.closest("details"); part; part = part.parentElement?.closest("details"))
    folds.push(part);
  for (const fold of folds) fold.open = true;
  if (folds.length) target.scrollIntoView();
}

// A slider moves the marks along curves that were computed when the chapter ran; a name that is
// pointed at has its curve alone.
document.addEventListener("DOMContentLoaded", () => {
  for (const figure of document.querySelectorAll(".gamma-slider")) {
    const points = JSON.parse(figure.dataset.points);
    const curves = figure.querySelectorAll("polyline");
    const marks = figure.querySelectorAll("g.mark");
    const told = figure.querySelectorAll("output");
    const slider = figure.querySelector("input");
    const move = () => {
      points.forEach((found, i) => {
        const [seen, unseen, h] = found[slider.value];
        const place = curves[i].points[slider.value];
        marks[i].setAttribute("transform", `translate(${place.x} ${place.y})`);
        told[i].textContent = `seen ${seen}, unseen ${unseen}, H ${h}`;
      });
    };
    slider.addEventListener("input", move);
    move();
    const dim = (others) =>
      [curves, marks].forEach((all) => all.forEach((one, i) => one.classList.toggle("dim", others(i))));
    figure.querySelectorAll("li").forEach((name, i) => {
      name.addEventListener("pointerenter", () => dim((other) => other !== i));
      name.addEventListener("pointerleave", () => dim(() => false));
    });
  }
});
