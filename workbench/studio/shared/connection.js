// Reports in the page's language that the studio does not answer, or that another one has its address. The page
// reconnects automatically, and a new studio reloads it.
addEventListener("DOMContentLoaded", () => {
  const tr = (text) => TEXTS[text] ?? text;
  const say = (popup, ...told) =>
    popup.querySelectorAll("span").forEach((line, place) => (line.textContent = told[place]));
  const [gone, long] = [document.querySelector("#popup"), document.querySelector("#too_long_message_popup")];
  say(gone, tr("The studio does not answer."), tr("This page continues when the studio is running again (workbench studio); drafts and games are saved."));
  say(long, tr("This is too long to send."), tr("Texts of more than a megabyte are not sent."));
  setInterval(async () => {
    if (window.socket?.connected) return;
    const answer = await fetch("/", { method: "HEAD" }).catch(() => null);
    const locked = answer?.status === 403;
    // The library reports no lost connection if there was none; a studio that answers may just be slow.
    if (window.socket?.connected || (answer && !locked && gone.ariaHidden === "true")) return;
    if (locked) say(gone, tr("Another studio answers at this address."), tr("Open the address printed in the studio's terminal: it contains the key to this page."));
    else say(gone, tr("The studio does not answer."), tr("This page continues when the studio is running again (workbench studio); drafts and games are saved."));
    gone.ariaHidden = "false";
  }, 2000);
});
