// Follows which step of a lesson is at the reading line, and scrolls to a step.

import { stepAt } from "./outline";

const READING_LINE = 0.35; // of the height of the window
const MARGIN = 0.14; // of the height of the window, above a step that was scrolled to

/** Reports the step that the reader has scrolled to, but not those that pass while `reveal` scrolls. */
export class Scrolling {
  #steps: readonly HTMLElement[] = [];
  #revealing = false;
  #byReader = false;

  constructor(private readonly onstep: (index: number) => void) {}

  /** Observe the elements of the steps; the result ends it. */
  watch(steps: readonly HTMLElement[]): () => void {
    this.#steps = steps;
    const rootMargin = `-${READING_LINE * 100}% 0px -${100 - READING_LINE * 100}% 0px`;
    const observer = new IntersectionObserver(() => this.#follow(), { rootMargin });
    for (const step of steps) observer.observe(step);
    const listening = new AbortController();
    const options = { signal: listening.signal, passive: true };
    addEventListener("scroll", () => (this.#byReader ||= !this.#revealing), options);
    for (const type of ["scrollend", "wheel", "touchmove"])
      addEventListener(type, () => (this.#revealing = false), options);
    return () => {
      observer.disconnect();
      listening.abort();
    };
  }

  /** Scroll a step to just above the reading line. */
  reveal(index: number, smooth: boolean): void {
    const step = this.#steps[index];
    if (!step) return;
    const highest = document.documentElement.scrollHeight - innerHeight;
    const wanted = scrollY + step.getBoundingClientRect().top - MARGIN * innerHeight;
    const top = Math.max(0, Math.min(highest, wanted));
    this.#byReader = false;
    this.#revealing = Math.abs(top - scrollY) >= 1;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    scrollTo({ top, behavior: smooth && !still ? "smooth" : "instant" });
  }

  #follow(): void {
    if (this.#revealing || !this.#byReader || !this.#steps.length) return;
    const tops = this.#steps.map((step) => step.getBoundingClientRect().top);
    this.onstep(stepAt(tops, READING_LINE * innerHeight));
  }
}
