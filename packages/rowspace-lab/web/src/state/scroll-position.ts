// Where the page was scrolled to, kept with each entry of the browser's history and restored when the reader returns to
// it. The browser cannot do this itself, since a page has its full length only once its replies have arrived.

const PATIENCE = 30_000; // ms
const INPUTS = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

/** The state of an entry of the history. */
export const scrolledTo = (top: number): { top: number } => ({ top });

export class ScrollPosition {
  #waiting: AbortController | undefined;

  /** Call once; `isOwn` says whether the page scrolls itself, as a lesson does. */
  constructor(private readonly isOwn: () => boolean) {
    history.scrollRestoration = "manual";
    addEventListener("scrollend", () => this.keep());
    this.restore();
  }

  /** Keep the position with the current entry, unless an earlier one is still being restored. */
  keep(): void {
    if (this.#waiting || this.isOwn()) return;
    history.replaceState(scrolledTo(scrollY), "");
  }

  /** Scroll to the position of the current entry as soon as the page is long enough, unless the reader scrolls first. */
  restore(): void {
    this.#waiting?.abort();
    this.#waiting = undefined;
    const top = (history.state as { top?: number } | null)?.top ?? 0;
    if (this.isOwn()) return;
    if (top === 0) return scrollTo(0, 0);
    const waiting = (this.#waiting = new AbortController());
    const options = { signal: waiting.signal, passive: true };
    const end = () => {
      waiting.abort();
      if (this.#waiting === waiting) this.#waiting = undefined;
    };
    const growing = new ResizeObserver(() => {
      scrollTo(0, top);
      if (Math.abs(scrollY - top) <= 1) end();
    });
    growing.observe(document.documentElement);
    waiting.signal.addEventListener("abort", () => growing.disconnect());
    for (const type of INPUTS) addEventListener(type, end, options);
    setTimeout(end, PATIENCE);
  }
}
