// Says in the page's language that the studio does not answer, and when another one has its address. The page connects
// anew by itself, and is loaded again by a studio that does not know it.
addEventListener("DOMContentLoaded", () => {
  const words = $words;
  const say = (popup, ...told) =>
    popup.querySelectorAll("span").forEach((line, place) => (line.textContent = told[place]));
  const [gone, long] = [document.querySelector("#popup"), document.querySelector("#too_long_message_popup")];
  say(gone, words.gone, words.gone_how);
  say(long, words.too_long, words.too_long_how);
  setInterval(async () => {
    if (window.socket?.connected) return;
    const answer = await fetch("/", { method: "HEAD" }).catch(() => null);
    const locked = answer?.status === 403;
    // A page that was never connected is told of no loss by its library; a studio that answers may only be slow.
    if (window.socket?.connected || (answer && !locked && gone.ariaHidden === "true")) return;
    if (locked) say(gone, words.locked_out, words.locked);
    else say(gone, words.gone, words.gone_how);
    gone.ariaHidden = "false";
  }, 2000);
});
