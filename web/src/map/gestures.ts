// From pointer, wheel and keys to what they mean: pan, zoom, fit, hover, click, lasso. The mouse and two fingers pan,
// two fingers pinch, shift-drag (or the lasso mode) draws a lasso; arrows pan, + and - zoom, 0 fits, Enter clicks what is
// at the middle, Escape leaves the map. One finger scrolls the page, and so does the wheel, unless the map has the focus
// or Ctrl (on a Mac: Command) is held. Places are CSS pixels of the element.

export interface Meanings {
  pan(right: number, down: number): void;
  zoom(factor: number, x: number, y: number): void;
  fit(): void;
  hover(place: [number, number] | null, byKey: boolean): void;
  click(x: number, y: number): void;
  /** The path so far, and whether it is complete. */
  lasso(path: [number, number][], complete: boolean): void;
  lassoing(): boolean;
  /** The gesture scrolled the page; it would have moved the map with a second finger, or with Ctrl. */
  scrolled(by: "finger" | "wheel"): void;
  /** After a key has moved the picture: the middle is where one points. */
  middle(): [number, number];
}

const STEP = 60;
const CLICK = 5;

/** Listens on the element; the function returned ends that. */
export function listen(element: HTMLElement, mean: Meanings): () => void {
  const ended = new AbortController();
  const options = { signal: ended.signal, passive: false };
  const down = new Map<number, [number, number]>();
  let path: [number, number][] | null = null;
  let travelled = 0;

  const on = <K extends keyof HTMLElementEventMap>(kind: K, act: (event: HTMLElementEventMap[K]) => void) =>
    element.addEventListener(kind, act, options);

  on("pointerdown", (event) => {
    if (event.button !== 0) return;
    element.setPointerCapture(event.pointerId);
    down.set(event.pointerId, place(event));
    if (down.size === 1) travelled = 0;
    path = down.size === 1 && (event.shiftKey || mean.lassoing()) ? [place(event)] : null;
  });

  on("pointermove", (event) => {
    const before = down.get(event.pointerId);
    const now = place(event);
    if (!before) return mean.hover(now, false);
    travelled += Math.abs(now[0] - before[0]) + Math.abs(now[1] - before[1]);
    const old = grip(down);
    down.set(event.pointerId, now);
    if (path) return mean.lasso((path = [...path, now]), false);
    if (event.pointerType !== "mouse" && down.size === 1) return; // which scrolls the page
    const held = grip(down);
    mean.pan(held.x - old.x, held.y - old.y);
    if (down.size === 2 && old.span) mean.zoom(held.span / old.span, held.x, held.y);
  });

  const release = (event: PointerEvent) => {
    const touches = down.size;
    if (!down.delete(event.pointerId)) return;
    if (event.type === "pointercancel" && touches === 1) mean.scrolled("finger");
    const clicked = event.type === "pointerup" && travelled < CLICK && !down.size;
    if (path) mean.lasso(event.type === "pointerup" && !clicked ? path : [], true);
    path = null;
    if (clicked) mean.click(...place(event));
  };
  on("pointerup", release);
  on("pointercancel", release);
  on("pointerleave", () => down.size || mean.hover(null, false));
  on("blur", () => mean.hover(null, false));

  // With `touch-action: pan-x pan-y` the browser would scroll with two fingers as well.
  const keepTwoFingers = (event: TouchEvent) => event.touches.length > 1 && event.cancelable && event.preventDefault();
  on("touchstart", keepTwoFingers);
  on("touchmove", keepTwoFingers);

  on("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== element) return mean.scrolled("wheel");
    event.preventDefault();
    mean.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : event.ctrlKey ? 0.01 : 0.002)), ...place(event));
  });

  on("keydown", (event) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys(mean)[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
    if (event.key === "Escape") element.blur();
    else mean.hover(mean.middle(), true);
  });
  return () => ended.abort();
}

function keys(mean: Meanings): Record<string, (() => void) | undefined> {
  const zoom = (factor: number) => () => mean.zoom(factor, ...mean.middle());
  return {
    ArrowLeft: () => mean.pan(STEP, 0),
    ArrowRight: () => mean.pan(-STEP, 0),
    ArrowUp: () => mean.pan(0, STEP),
    ArrowDown: () => mean.pan(0, -STEP),
    "+": zoom(1.5),
    "=": zoom(1.5),
    "-": zoom(1 / 1.5),
    "0": () => mean.fit(),
    Enter: () => mean.click(...mean.middle()),
    Escape: () => mean.hover(null, false),
  };
}

function place(event: MouseEvent): [number, number] {
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

/** The middle of all pointers that are down, and how far apart two of them are. */
function grip(down: Map<number, [number, number]>): { x: number; y: number; span: number } {
  const all = [...down.values()];
  const [first, second] = [all[0]!, all.at(-1)!];
  return {
    x: (first[0] + second[0]) / 2,
    y: (first[1] + second[1]) / 2,
    span: Math.hypot(first[0] - second[0], first[1] - second[1]),
  };
}
