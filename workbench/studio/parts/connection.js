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
    if (gone.ariaHidden === "true") return;
    const answer = await fetch("/", { method: "HEAD" }).catch(() => null);
    if (answer?.status === 403) say(gone, words.locked_out, words.locked);
    else say(gone, words.gone, words.gone_how);
  }, 2000);
});
