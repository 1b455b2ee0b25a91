// The page works without this script, too: in its first language, its tables in their first order, its games at their end.
// It stands below replay.js in one module.

const root = document.documentElement;

// Language: the style sheet shows what has the language of the page.

const titles = JSON.parse(document.getElementById("titles").textContent);
const switches = [...document.querySelectorAll("button[data-lang]")];

function speak(lang) {
  root.lang = lang;
  document.title = titles[lang];
  for (const each of switches) each.setAttribute("aria-pressed", String(each.dataset.lang === lang));
  for (const each of document.querySelectorAll("[data-en]")) {
    // Names of controls cannot hold two languages at once.
    const text = each.dataset[lang];
    if (each.matches("option")) each.textContent = text;
    else if (each.matches("optgroup")) each.label = text;
    else each.setAttribute("aria-label", text);
  }
}

// What the reader chose is kept: for this report, and for others that follow the browser. Some browsers keep nothing.

const KEPT = "rule-workbench.language";
const here = `${KEPT}:${location.pathname}`;

function kept(key) {
  try {
    const lang = localStorage.getItem(key);
    return lang in titles ? lang : null;
  } catch {
    return null;
  }
}

function keep(lang) {
  try {
    for (const key of [here, KEPT]) localStorage.setItem(key, lang);
  } catch {}
}

function opening() {
  if (kept(here)) return kept(here);
  if (!("follow" in root.dataset)) return root.lang;
  const asked = (navigator.languages ?? []).map((lang) => lang.split("-")[0]).find((lang) => lang in titles);
  return kept(KEPT) ?? asked ?? root.lang;
}

for (const each of switches)
  each.addEventListener("click", () => {
    speak(each.dataset.lang);
    keep(each.dataset.lang);
  });
// Within another page its reader has chosen there.
document.querySelector(".languages").hidden = parent !== window;
speak(opening());

// Tables wider than the window fade out on the side where there is more: phones show no scrollbars.

const wide = [...document.querySelectorAll(".scroll")];

function fade(box) {
  const left = box.scrollWidth - box.clientWidth - box.scrollLeft;
  box.classList.toggle("more", left > 2);
  // Only what scrolls is a stop for Tab.
  box.tabIndex = box.scrollWidth > box.clientWidth + 2 || box.scrollHeight > box.clientHeight + 2 ? 0 : -1;
}
for (const box of wide) {
  box.addEventListener("scroll", () => fade(box), { passive: true });
  new ResizeObserver(() => fade(box)).observe(box);
  new ResizeObserver(() => fade(box)).observe(box.firstElementChild);
}

const SEEN_AT_ONCE = 3;

// Tables: a click on a heading sorts by its column, a second one the other way round. Cells without a value stay last.

function value(row, column) {
  const cell = row.cells[column];
  const text = cell.dataset.v ?? cell.textContent.trim();
  return text === "" ? null : isNaN(text) ? text : Number(text);
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), root.lang, { numeric: true });
}

// The rows of a small table are seen at once.
const large = (table) => table.tBodies[0].rows.length > SEEN_AT_ONCE;

for (const table of [...document.querySelectorAll("table.sortable")].filter(large)) {
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  for (const head of heads) {
    if (head.hasAttribute("data-plain")) continue;
    const button = document.createElement("button");
    button.append(...[...head.childNodes].filter((node) => node.className !== "small"));
    head.prepend(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      // Numbers are read from the top, so that the largest ones come first; names from the first letter.
      const column = head.cellIndex;
      const body = table.tBodies[0];
      const rows = [...body.rows];
      const numbers = column > 0 && rows.some((row) => typeof value(row, column) === "number");
      const before = head.getAttribute("aria-sort");
      const rising = before === "none" ? !numbers : before === "descending";
      for (const other of heads) if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", rising ? "ascending" : "descending");
      rows.sort((a, b) => {
        const [x, y] = [value(a, column), value(b, column)];
        if (x === null || y === null) return (x === null) - (y === null);
        return rising ? compare(x, y) : compare(y, x);
      });
      body.append(...rows);
    });
  }
}

const viewer = document.getElementById("viewer");
if (viewer) replay(viewer, JSON.parse(document.getElementById("games-data").textContent));

// Who prints the page within another one prints that one's copy of it.
const appendix = document.querySelector(".appendix input");
appendix?.addEventListener("change", () => parent !== window && parent.postMessage({ appendix: appendix.checked }, "*"));

addEventListener("beforeprint", () => {
  for (const each of document.querySelectorAll("details")) each.open = true;
});
