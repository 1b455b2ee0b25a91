// What a report's page does, used by reports, which contain this file, and by the studio, which shows copies of them. `root`
// is the document or a shadow root.

const MAX_UNSORTED_ROWS = 3;

// Names controls, whose names can contain only one language.
export function nameControls(root, lang) {
  for (const control of root.querySelectorAll("[data-en]")) {
    const text = control.dataset[lang];
    if (control.matches("option")) control.textContent = text;
    else if (control.matches("optgroup")) control.label = text;
    else control.setAttribute("aria-label", text);
  }
}

// Opens the folds around an element and scrolls to it.
export function reveal(target) {
  if (!target) return;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  target.scrollIntoView();
}

// Wide tables fade out on the side with hidden columns because phones show no scrollbars.
function fade(box) {
  const remaining = box.scrollWidth - box.clientWidth - box.scrollLeft;
  box.classList.toggle("more", remaining > 2);
  // Only scrolling boxes are tab stops.
  box.tabIndex = box.scrollWidth > box.clientWidth + 2 || box.scrollHeight > box.clientHeight + 2 ? 0 : -1;
}

function value(row, column) {
  const cell = row.cells[column];
  const text = cell.dataset.v ?? cell.textContent.trim();
  return text === "" ? null : isNaN(text) ? text : Number(text);
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), document.documentElement.lang, { numeric: true });
}

// A click on a table's heading sorts by its column, another click reverses the order. Empty cells stay last.
function sortBy(head, heads) {
  // Initially numbers are in descending and names in ascending order.
  const column = head.cellIndex;
  const body = head.closest("table").tBodies[0];
  const rows = [...body.rows];
  const numbers = column > 0 && rows.some((row) => typeof value(row, column) === "number");
  const order = head.getAttribute("aria-sort");
  const rising = order === "none" ? !numbers : order === "descending";
  for (const other of heads) if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
  head.setAttribute("aria-sort", rising ? "ascending" : "descending");
  rows.sort((a, b) => {
    const [x, y] = [value(a, column), value(b, column)];
    if (x === null || y === null) return (x === null) - (y === null);
    return rising ? compare(x, y) : compare(y, x);
  });
  body.append(...rows);
}

// Makes the tables of a page fade and sort, and opens its folds in print.
export function enliven(root, signal) {
  for (const box of root.querySelectorAll(".scroll")) {
    box.addEventListener("scroll", () => fade(box), { passive: true });
    new ResizeObserver(() => fade(box)).observe(box);
    if (box.firstElementChild) new ResizeObserver(() => fade(box)).observe(box.firstElementChild);
  }
  for (const table of root.querySelectorAll("table.sortable")) {
    // Small tables need no sorting.
    if (!table.tHead?.rows.length || !(table.tBodies[0]?.rows.length > MAX_UNSORTED_ROWS)) continue;
    const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
    for (const head of heads) {
      if (head.hasAttribute("data-plain")) continue;
      const button = document.createElement("button");
      button.append(...[...head.childNodes].filter((node) => node.className !== "small"));
      head.prepend(button);
      head.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => sortBy(head, heads));
    }
  }
  const open = () => root.querySelectorAll("details").forEach((fold) => (fold.open = true));
  addEventListener("beforeprint", open, { signal });
}
