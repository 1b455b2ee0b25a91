// Shows a dialog over the page; the browser's Back closes it, and the page stays where it was.
export function showOver(dialog) {
  history.pushState({ over: true }, "");
  const close = () => dialog.close();
  addEventListener("popstate", close, { once: true });
  dialog.addEventListener(
    "close",
    () => {
      removeEventListener("popstate", close);
      if (history.state?.over) history.back();
    },
    { once: true },
  );
  dialog.showModal();
}
