"use strict";

// Tables of the class "sortable": a click on a head, or its key, sorts; words above the table filter.
document.addEventListener("DOMContentLoaded", () => {
  const none = /^[–-]?$/;
  // A cell of several columns has no number.
  const read = (row, column) =>
    (row.cells[column]?.colSpan === 1 ? row.cells[column].textContent : "").trim().replace(/\u2212/g, "-").replace(/,(?=\d{3}(?!\d))/g, "");

  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];

    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      const text = head.querySelector("p") || head;
      button.append(...text.childNodes);
      head.replaceChildren(button);
      head.addEventListener("click", () => {
        const cells = rows.map((row) => read(row, column));
        const numeric = cells.every((cell) => none.test(cell) || !Number.isNaN(parseFloat(cell)));
        // Numbers begin with the largest, words with the first; the next click turns them round.
        const before = head.getAttribute("aria-sort");
        const down = before ? before === "ascending" : numeric;
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const value = new Map(rows.map((row, i) => [row, cells[i]]));
        const compare = (a, b) => {
          const [x, y] = [value.get(a), value.get(b)];
          if (none.test(x) || none.test(y)) return none.test(x) - none.test(y);
          const order = numeric ? parseFloat(x) - parseFloat(y) : x.localeCompare(y);
          return down ? -order : order;
        };
        body.append(...[...rows].sort(compare));
      });
    });

    const label = document.createElement("label");
    label.className = "filter";
    const input = document.createElement("input");
    input.type = "search";
    const count = document.createElement("output");
    label.append("Rows with ", input, " ", count);
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/);
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
      const shown = rows.filter((row) => !row.hidden).length;
      count.textContent = shown < rows.length ? `${shown} of ${rows.length}` : "";
    });
    const frame = table.closest(".pst-scrollable-table-container") || table;
    frame.before(label);
  }
});
