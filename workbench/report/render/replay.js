// The replay of a game, used by reports, which contain this file, and by the studio, which serves it.
//
// Only `go` changes the current ply. The markup is `replay.html`, the data is made by `replay.py`. A link to a ply is a
// fragment of the address: #game=chatra/C/greedy/greedy/12&ply=30.

const PACE = 800;

// Returns a bilingual text in the page's language.
function plainText(html) {
  const box = document.createElement("div");
  box.innerHTML = html;
  for (const span of box.querySelectorAll("span[lang]"))
    if (span.lang !== document.documentElement.lang) span.remove();
  return box.textContent.trim();
}

async function copy(text, root) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Some browsers deny files the clipboard but can copy a selected text.
    const area = document.createElement("textarea");
    area.value = text;
    root.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

// Returns the game and the ply in a link, or null.
export function linkedGame(fragment = location.hash) {
  const query = new URLSearchParams(fragment.slice(1));
  return query.has("game") ? { id: query.get("game"), ply: Number(query.get("ply") ?? NaN) } : null;
}

function fragment(id, ply) {
  return `#${new URLSearchParams({ game: id, ply }).toString().replaceAll("%2F", "/")}`;
}

// `onMissing` is called with the id of a linked game that does not exist, `onMove` with each displayed ply.
export function replay(root, { games, families, squares }, { onMissing = () => {}, onMove = () => {} } = {}) {
  const part = (name) => root.querySelector(`[data-part="${name}"]`);
  const [size, pieces] = [Number(root.dataset.cell), root.dataset.pieces];
  const [picker, list, curve] = ["picker", "moves", "curve"].map(part);
  const ended = new AbortController();
  const listen = (on, event, act, options) => on.addEventListener(event, act, { signal: ended.signal, ...options });
  let game = games[0];
  let ply = 0;
  let timer = null;

  // The events at a ply, and true if one of them belongs to a rule choice.
  const eventsAt = (at) => (game.events[at] ?? []).map((index) => families[game.family].happened[index]);
  const hasRuleEvent = (at) => eventsAt(at).some(([, rule]) => rule);

  // The board

  function position(at) {
    const cells = new Map();
    for (const frame of game.frames.slice(0, at + 1))
      for (let i = 0; i < frame.length; i += 2) cells.set(frame[i], frame[i + 1]);
    return cells;
  }

  // Describes the position for screen readers.
  function describePosition() {
    const places = new Map();
    for (const [cell, piece] of position(ply))
      if (piece) places.set(piece, `${places.get(piece) ?? ""} ${squares[game.board][cell]}`);
    return [...places].map(([piece, cells]) => `${families[game.family].pieces[piece]}:${cells}`).join("; ");
  }

  function draw() {
    const svg = part("board").querySelector("svg");
    const columns = Number(svg.dataset.columns);
    // Each row of hexagons is shifted to the right of the previous row.
    const { shift = 0, pitch = size, shape } = svg.dataset;
    const place = (cell) => {
      const row = Math.floor(cell / columns);
      return [(cell % columns) * size + row * shift, row * pitch];
    };
    let standing = "";
    for (const [cell, piece] of position(ply)) {
      const [x, y] = place(cell);
      if (piece) standing += `<use href="#${pieces}-${piece}" x="${x + size / 2}" y="${y + size / 2}"/>`;
    }
    svg.querySelector(".pieces").innerHTML = standing;
    part("standing").innerHTML = describePosition();
    let marks = "";
    const last = ply ? game.frames[ply] : [];
    for (let i = 0; i < last.length; i += 2) {
      const [x, y] = place(last[i]);
      marks += shape
        ? `<path d="M${x} ${y}${shape}" class="last"/>`
        : `<rect x="${x}" y="${y}" width="${size}" height="${size}" class="last"/>`;
    }
    svg.querySelector(".marks").innerHTML = marks;
  }

  // The curve of the players' evaluation after each ply, in hundredths; 100 is a certain win of the first player.

  function drawCurve() {
    const values = game.curve;
    part("evaluated").hidden = !values.length;
    if (!values.length) return;
    const n = game.moves.length;
    const area = (clip) => `M0 0${values.map((value, i) => `L${i + 1} ${-clip(value)}`).join("")}V0z`;
    const rules = Object.keys(game.events).filter(hasRuleEvent);
    curve.setAttribute("viewBox", `0 -104 ${n} 238`);
    curve.innerHTML =
      `<path d="${area((value) => Math.max(value, 0))}" class="seat-0"/>` +
      `<path d="${area((value) => Math.min(value, 0))}" class="seat-1"/>` +
      `<path d="M0 0H${n}" class="level"/><path d="M${values.map((value, i) => `${i + 1} ${-value}`).join("L")}" class="line"/>` +
      `<path d="${rules.map((at) => `M${at} 108V132`).join("")}" class="rules"/><path class="here"/>`;
    curve.setAttribute("aria-valuemax", n);
    ["ahead-0", "ahead-1"].forEach((name, seat) => (part(name).innerHTML = families[game.family].ahead[seat]));
  }

  function showCurve() {
    if (!game.curve.length) return;
    const value = ply ? game.curve[Math.min(ply, game.curve.length) - 1] : null;
    const share = value === null ? "" : `${Math.round(50 + value / 2)} %`;
    curve.querySelector(".here").setAttribute("d", `M${ply} -104V134`);
    curve.setAttribute("aria-valuenow", ply);
    curve.setAttribute("aria-valuetext", `${ply}: ${share}`);
    part("value").textContent = share;
  }

  function plyAt(x) {
    const box = curve.getBoundingClientRect();
    return Math.round(((x - box.left) / box.width) * game.moves.length);
  }

  // The current ply

  function go(to) {
    ply = Math.max(0, Math.min(game.moves.length, to));
    draw();
    showCurve();
    const before = list.querySelector("[tabindex='0']");
    list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const current = list.children[Math.max(ply, 1) - 1]?.firstElementChild;
    if (current && current !== before) {
      // The list of moves is a single tab stop.
      current.tabIndex = 0;
      if (before) before.tabIndex = -1;
      if (document.activeElement === before) current.focus({ preventScroll: true });
    }
    if (ply) {
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
    part("event").innerHTML = eventsAt(ply).map(([words, rule]) => (rule ? `<b>${words}</b>` : `<span>${words}</span>`)).join(" · ");
    part("notes").innerHTML = game.notes[game.note[ply]];
    part("ending").hidden = ply < game.moves.length;
    for (const name of ["first", "previous"]) part(name).setAttribute("aria-disabled", String(ply === 0));
    for (const name of ["next", "last"]) part(name).setAttribute("aria-disabled", String(ply === game.moves.length));
    if (ply === game.moves.length) stop();
    onMove(ply);
  }

  function step(to) {
    stop();
    go(to);
  }

  function open(number, at = 0) {
    stop();
    game = games[number];
    if (picker) picker.value = String(number);
    part("board").replaceChildren(root.querySelector(`template[data-board="${game.board}"]`).content.cloneNode(true));
    part("about").innerHTML = game.about;
    part("ending").innerHTML = game.ending;
    part("command").textContent = game.command;
    part("seed").innerHTML = game.seed;
    part("again").hidden = !game.command;
    part("link").hidden = !game.id;
    part("copied").hidden = true;
    list.replaceChildren(
      ...game.moves.map((move, i) => {
        const item = document.createElement("li");
        const button = document.createElement("button");
        button.type = "button";
        button.tabIndex = -1;
        button.textContent = move;
        button.dataset.seat = game.seats[i];
        if (hasRuleEvent(i + 1)) button.dataset.rule = "";
        button.addEventListener("click", () => step(i + 1));
        item.append(button);
        return item;
      })
    );
    drawCurve();
    go(at);
  }

  // Automatic replay

  function stop() {
    clearInterval(timer);
    timer = null;
    [part("play").hidden, part("pause").hidden] = [false, true];
  }

  function start() {
    if (ply === game.moves.length) go(0);
    [part("play").hidden, part("pause").hidden] = [true, false];
    timer = setInterval(() => go(ply + 1), PACE / Number(part("speed").value));
  }

  function toggle(focused) {
    const playing = timer !== null;
    if (playing) stop();
    else start();
    // The pressed button is hidden, so the focus moves to the button that replaces it.
    if (focused) part(playing ? "play" : "pause").focus();
  }

  for (const name of ["play", "pause"]) listen(part(name), "click", () => toggle(true));
  listen(part("speed"), "change", () => {
    if (timer === null) return;
    stop();
    start();
  });
  listen(document, "visibilitychange", stop);
  // Print the end of the game.
  listen(window, "beforeprint", () => step(game.moves.length));

  // Buttons, keys, clicks on the curve, and swipes

  const steps = { first: () => 0, previous: () => ply - 1, next: () => ply + 1, last: () => game.moves.length };
  for (const [name, to] of Object.entries(steps)) listen(part(name), "click", () => step(to()));
  const keys = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last" };
  listen(root, "keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("select, input, textarea")) return;
    if (event.key === " " && !event.target.matches("button, summary, a")) toggle(false);
    else if (keys[event.key]) step(steps[keys[event.key]]());
    else return;
    event.preventDefault();
  });
  listen(curve, "pointerdown", (event) => {
    curve.setPointerCapture(event.pointerId);
    step(plyAt(event.clientX));
  });
  listen(curve, "pointermove", (event) => {
    if (curve.hasPointerCapture(event.pointerId)) step(plyAt(event.clientX));
  });
  let touched = null;
  listen(part("board"), "pointerdown", (event) => {
    touched = event.pointerType === "mouse" ? null : [event.clientX, event.clientY];
  });
  listen(part("board"), "pointercancel", () => (touched = null));
  listen(part("board"), "pointerup", (event) => {
    if (!touched) return;
    const [right, down] = [event.clientX - touched[0], event.clientY - touched[1]];
    if (Math.abs(right) > 30 && Math.abs(right) > 1.5 * Math.abs(down)) step(ply + (right < 0 ? 1 : -1));
    touched = null;
  });

  // Copying

  const copyText = async (text) => {
    await copy(text, root);
    part("copied").hidden = false;
  };
  listen(part("text"), "click", () =>
    copyText(`${plainText(game.about)}\n${game.moves.join(" ")}\n${plainText(game.ending)}\n`)
  );
  listen(part("link"), "click", () => {
    const link = fragment(game.id, ply);
    history.replaceState(history.state, "", link);
    copyText(location.href.replace(/#.*|$/, link));
  });

  // Opens the linked game and returns true if there is one.
  function follow() {
    const link = linkedGame();
    if (!link) return false;
    const number = games.findIndex((candidate) => candidate.id === link.id);
    if (number === -1) {
      onMissing(link.id);
      return false;
    }
    open(number, Number.isFinite(link.ply) ? link.ply : undefined);
    root.scrollIntoView({ block: "start" });
    root.focus({ preventScroll: true });
    return true;
  }
  listen(window, "hashchange", follow);

  if (picker) listen(picker, "change", () => open(Number(picker.value)));
  for (const element of root.querySelectorAll("[data-script]")) element.hidden = false;
  open(picker ? Number(picker.value) : 0);
  follow();

  return {
    go,
    end() {
      stop();
      ended.abort();
    },
  };
}
