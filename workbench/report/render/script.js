// The page works without this script, too: in its first language, its tables in their first order, its games at their end.
"use strict";

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
document.querySelector(".languages").hidden = false;
speak(opening());

// Tables wider than the window fade out on the side where there is more: phones show no scrollbars.

const wide = [...document.querySelectorAll(".scroll")];

function fade(box) {
  const left = box.scrollWidth - box.clientWidth - box.scrollLeft;
  box.classList.toggle("more", left > 2);
}
for (const box of wide) {
  box.addEventListener("scroll", () => fade(box), { passive: true });
  new ResizeObserver(() => fade(box)).observe(box);
  new ResizeObserver(() => fade(box)).observe(box.firstElementChild);
}

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

for (const table of document.querySelectorAll("table.sortable")) {
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

// Replay: a game does not change; what changes is the place in it, and only `go` changes that.

const CELL = 10;
const viewer = document.getElementById("viewer");

if (viewer) {
  const games = JSON.parse(document.getElementById("games-data").textContent);
  const part = (name) => viewer.querySelector(`[data-part="${name}"]`);
  const picker = part("picker");
  const list = part("moves");
  let game = games[0];
  let ply = game.moves.length;

  function position(at) {
    const cells = new Map();
    for (const frame of game.frames.slice(0, at + 1))
      for (let i = 0; i < frame.length; i += 2) cells.set(frame[i], frame[i + 1]);
    return cells;
  }

  function go(to) {
    ply = Math.max(0, Math.min(game.moves.length, to));
    const svg = part("board").querySelector("svg");
    const columns = Number(svg.dataset.columns);
    const place = (cell) => [(cell % columns) * CELL, Math.floor(cell / columns) * CELL];
    let pieces = "";
    for (const [cell, piece] of position(ply)) {
      const [x, y] = place(cell);
      if (piece) pieces += `<use href="#piece-${piece}" x="${x + CELL / 2}" y="${y + CELL / 2}"/>`;
    }
    svg.querySelector(".pieces").innerHTML = pieces;
    let marks = "";
    const last = ply ? game.frames[ply] : [];
    for (let i = 0; i < last.length; i += 2) {
      const [x, y] = place(last[i]);
      marks += `<rect x="${x}" y="${y}" width="${CELL}" height="${CELL}" class="last"/>`;
    }
    svg.querySelector(".marks").innerHTML = marks;
    for (const button of list.querySelectorAll("[aria-current]")) button.removeAttribute("aria-current");
    if (ply) {
      const current = list.children[ply - 1].firstElementChild;
      current.setAttribute("aria-current", "true");
      // Only the list scrolls, not the page.
      const item = current.parentElement;
      if (item.offsetTop < list.scrollTop) list.scrollTop = item.offsetTop;
      const low = item.offsetTop + item.offsetHeight - list.clientHeight;
      if (low > list.scrollTop) list.scrollTop = low;
    } else {
      list.scrollTop = 0;
    }
    part("ply").textContent = `${ply} / ${game.moves.length}`;
    part("move").textContent = ply ? game.moves[ply - 1] : "–";
    part("notes").innerHTML = game.notes[game.note[ply]];
    part("ending").hidden = ply < game.moves.length;
    for (const name of ["first", "previous"]) part(name).setAttribute("aria-disabled", String(ply === 0));
    for (const name of ["next", "last"]) part(name).setAttribute("aria-disabled", String(ply === game.moves.length));
  }

  function open(number) {
    game = games[number];
    part("board").replaceChildren(document.getElementById(game.board).content.cloneNode(true));
    part("about").innerHTML = game.about;
    part("ending").innerHTML = game.ending;
    list.replaceChildren(
      ...game.moves.map((move, i) => {
        const item = document.createElement("li");
        const button = document.createElement("button");
        button.textContent = move;
        button.dataset.seat = game.seats[i];
        button.addEventListener("click", () => go(i + 1));
        item.append(button);
        return item;
      })
    );
    go(game.moves.length);
  }

  const steps = { first: () => 0, previous: () => ply - 1, next: () => ply + 1, last: () => game.moves.length };
  for (const [name, step] of Object.entries(steps)) part(name).addEventListener("click", () => go(step()));
  const keys = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last" };
  viewer.addEventListener("keydown", (event) => {
    const step = keys[event.key];
    if (!step || event.target === picker || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    go(steps[step]());
  });
  picker.addEventListener("change", () => open(Number(picker.value)));
  for (const each of viewer.querySelectorAll("[data-script]")) each.hidden = false;
  open(Number(picker.value));
}

addEventListener("beforeprint", () => {
  for (const each of document.querySelectorAll("details")) each.open = true;
});
