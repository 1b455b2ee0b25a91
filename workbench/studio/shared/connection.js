// Shows a message in the page's language if the studio does not answer or another studio has its address. The page
// reconnects automatically; a new studio reloads it.
addEventListener("DOMContentLoaded", () => {
  const tr = (text) => TEXTS[text] ?? text;
  const setTexts = (element, ...texts) =>
    element.querySelectorAll("span").forEach((line, i) => (line.textContent = texts[i]));
  const [popup, tooLong] = [document.querySelector("#popup"), document.querySelector("#too_long_message_popup")];
  const silent = [tr("The studio does not answer."), tr("This page continues when the studio is running again (workbench studio). If its terminal prints another address, open that one. Drafts and games are saved.")];
  setTexts(popup, ...silent);
  setTexts(tooLong, tr("This is too long to send."), tr("Texts of more than a megabyte are not sent."));
  setInterval(async () => {
    if (window.socket?.connected) return;
    const answer = await fetch("/", { method: "HEAD" }).catch(() => null);
    const locked = answer?.status === 403;
    // The library does not report a connection that was never made; a studio that answers may just be slow.
    if (window.socket?.connected || (answer && !locked && popup.ariaHidden === "true")) return;
    const other = [tr("Another studio answers at this address."), tr("Open the address printed in the studio's terminal: it contains the key to this page.")];
    setTexts(popup, ...(locked ? other : silent));
    popup.ariaHidden = "false";
  }, 2000);
});
const showKeys = () => document.querySelector("#keys").showModal();
addEventListener("keydown", (event) => {
  const types = event.target.closest("input:not([type=radio], [type=checkbox]), textarea, select, dialog");
  if (event.key === "?" && !types) showKeys();
});
// Any page may have a button that prints it, or one that closes a dialog.
document.addEventListener("click", ({ target }) => {
  if (target.closest("[data-print]")) print();
  if (target.closest("[data-keys]")) showKeys();
  target.closest("[data-close]")?.closest("dialog").close();
});
