// Follows which step of a lesson is at the reading line, and scrolls to a step.

import { stepAt } from "./outline";

const READING_LINE = 0.35; // of the height of the window
const MARGIN = 0.14; // of the height of the window, above a step that was scrolled to
const SCROLLING_KEYS: ReadonlySet<string> = new Set([
  "ArrowUp",
  "ArrowDown",
  "PageUp",
  "PageDown",
  "Home",
  "End",
  "Tab",
  " ",
]);

/** Reports the step that the reader has scrolled to, but not those that pass while `reveal` or the browser scrolls. */
export class Scrolling {
  #steps: readonly HTMLElement[] = [];
  #revealing = false;
  /** Where `reveal` scrolls to. */
  #target = 0;
  /** Whether the reader has used what scrolls since `reveal`, and whether the page has scrolled since then. */
  #released = false;
  #byReader = false;
  /** The step that stays in place while the text above it loads. */
  #held: HTMLElement | undefined;

  constructor(private readonly onstep: (index: number) => void) {}

  /** Observe the elements of the steps; the result ends it. */
  watch(steps: readonly HTMLElement[]): () => void {
    this.#steps = steps;
    const rootMargin = `-${READING_LINE * 100}% 0px -${100 - READING_LINE * 100}% 0px`;
    const observer = new IntersectionObserver(() => this.#follow(), { rootMargin });
    for (const step of steps) observer.observe(step);
    const listening = new AbortController();
    const options = { signal: listening.signal, passive: true };
    // A scroll without such an input before it is that of `#hold`, of a text that loads, or the end of one on the page before.
    addEventListener("scroll", () => (this.#byReader ||= this.#released), options);
    addEventListener("scrollend", () => this.#arrived(), options);
    for (const type of ["wheel", "touchmove"]) addEventListener(type, () => this.#release(), options);
    // On the scroll bar, or with the middle button; other clicks do not scroll.
    const scrolls = ({ target, button }: PointerEvent) => target === document.documentElement || button === 1;
    addEventListener("pointerdown", (event) => scrolls(event) && this.#release(), options);
    addEventListener("keydown", ({ key }) => SCROLLING_KEYS.has(key) && this.#release(), options);
    const resized = new ResizeObserver(() => this.#hold());
    const text = steps[0]?.parentElement;
    if (text) resized.observe(text);
    return () => {
      observer.disconnect();
      resized.disconnect();
      listening.abort();
    };
  }

  /** Scroll a step to just above the reading line. */
  reveal(index: number, smooth: boolean): void {
    const step = this.#steps[index];
    if (!step) return;
    const top = this.#topFor(step);
    this.#released = this.#byReader = false;
    this.#revealing = Math.abs(top - scrollY) >= 1;
    [this.#held, this.#target] = [step, top];
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    scrollTo({ top, behavior: smooth && !still ? "smooth" : "instant" });
  }

  #topFor(step: HTMLElement): number {
    const highest = document.documentElement.scrollHeight - innerHeight;
    return Math.max(0, Math.min(highest, scrollY + step.getBoundingClientRect().top - MARGIN * innerHeight));
  }

  /** The end of a scroll that a newer one has replaced is not the end of `reveal`. */
  #arrived(): void {
    if (!this.#revealing || Math.abs(scrollY - this.#target) > 2) return;
    this.#revealing = false;
    this.#hold();
  }

  #hold(): void {
    if (this.#held && !this.#revealing) scrollTo({ top: this.#topFor(this.#held), behavior: "instant" });
  }

  #release(): void {
    this.#released = true;
    this.#revealing = false;
    this.#held = undefined;
  }

  #follow(): void {
    if (this.#revealing || !this.#byReader || !this.#steps.length) return;
    const tops = this.#steps.map((step) => step.getBoundingClientRect().top);
    this.onstep(stepAt(tops, READING_LINE * innerHeight));
  }
}
