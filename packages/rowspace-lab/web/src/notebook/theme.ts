// Whether a notebook is dark, which each kind of notebook says in its own way.

const DARK = 128; // of 255

/** Call `set` with whether the page around an element is dark, now and after each change; returns what ends this. */
export function followTheme(element: Element, set: (dark: boolean) => void): () => void {
  const update = () => set(isDark(element));
  const observer = new MutationObserver(update);
  for (const outer of [document.documentElement, document.body]) observer.observe(outer, { attributes: true });
  const preference = matchMedia("(prefers-color-scheme: dark)");
  preference.addEventListener("change", update);
  update();
  return () => {
    observer.disconnect();
    preference.removeEventListener("change", update);
  };
}

/** What JupyterLab declares, else the brightness of the background. */
function isDark(element: Element): boolean {
  const declared = document.body.dataset.jpThemeLight;
  if (declared) return declared === "false";
  for (let outer: Element | null = element; outer; outer = outer.parentElement) {
    const parts = getComputedStyle(outer).backgroundColor.match(/[\d.]+/g) ?? [];
    const [red = 0, green = 0, blue = 0, opacity = 1] = parts.map(Number);
    if (parts.length && opacity > 0) return (red + green + blue) / 3 < DARK;
  }
  return matchMedia("(prefers-color-scheme: dark)").matches;
}
