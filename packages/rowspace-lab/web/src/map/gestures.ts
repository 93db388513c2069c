// Translates pointer, wheel and key events into gestures. Mouse drags and two fingers pan, pinching zooms, shift-drag (or
// lasso mode) draws a lasso; arrow keys pan, + and - zoom, 0 fits, Enter clicks at the center, Escape leaves the map. One
// finger scrolls the page, and so does the wheel, unless the map has the focus or Ctrl (Command on a Mac) is held.
// Coordinates are CSS pixels of the element.

export interface GestureHandlers {
  pan(right: number, down: number): void;
  zoom(factor: number, x: number, y: number): void;
  fit(): void;
  hover(position: [number, number] | null, byKey: boolean): void;
  click(x: number, y: number): void;
  /** The path so far, empty if canceled, and whether it is complete. */
  lasso(path: [number, number][], complete: boolean): void;
  lassoing(): boolean;
  /** The gesture scrolled the page; a second finger or Ctrl would have moved the map. */
  scrolled(by: "finger" | "wheel"): void;
  /** The center of the map, which is the pointer for keyboard use. */
  middle(): [number, number];
}

const PAN_STEP = 60; // px
const CLICK_TOLERANCE = 5; // px
const LARGEST_TURN = 0.25; // of one event, as a logarithm: a notch of a wheel with Ctrl would zoom by 2.7

/** Listen to an element; returns a function that stops listening. */
export function listen(element: HTMLElement, handlers: GestureHandlers): () => void {
  const controller = new AbortController();
  const options = { signal: controller.signal, passive: false };
  const down = new Map<number, [number, number]>();
  let path: [number, number][] | null = null;
  let travelled = 0;

  const on = <K extends keyof HTMLElementEventMap>(type: K, handler: (event: HTMLElementEventMap[K]) => void) =>
    element.addEventListener(type, handler, options);

  on("pointerdown", (event) => {
    if (event.button !== 0) return;
    element.setPointerCapture(event.pointerId);
    down.set(event.pointerId, pointerPosition(event));
    if (down.size === 1) travelled = 0;
    path = down.size === 1 && (event.shiftKey || handlers.lassoing()) ? [pointerPosition(event)] : null;
  });

  on("pointermove", (event) => {
    const before = down.get(event.pointerId);
    const now = pointerPosition(event);
    if (!before) return handlers.hover(now, false);
    travelled += Math.abs(now[0] - before[0]) + Math.abs(now[1] - before[1]);
    const old = grip(down);
    down.set(event.pointerId, now);
    if (path) return handlers.lasso((path = [...path, now]), false);
    if (event.pointerType !== "mouse" && down.size === 1) return; // it scrolls the page
    const held = grip(down);
    handlers.pan(held.x - old.x, held.y - old.y);
    if (down.size === 2 && old.span) handlers.zoom(held.span / old.span, held.x, held.y);
  });

  const release = (event: PointerEvent) => {
    const touches = down.size;
    if (!down.delete(event.pointerId)) return;
    if (event.type === "pointercancel" && touches === 1) handlers.scrolled("finger");
    const clicked = event.type === "pointerup" && travelled < CLICK_TOLERANCE && !down.size;
    if (path) handlers.lasso(event.type === "pointerup" && !clicked ? path : [], true);
    path = null;
    if (clicked) handlers.click(...pointerPosition(event));
  };
  on("pointerup", release);
  on("pointercancel", release);
  on("pointerleave", () => down.size || handlers.hover(null, false));
  on("blur", () => handlers.hover(null, false));

  // `touch-action: pan-x pan-y` also allows scrolling with two fingers.
  const preventTwoFingerScroll = (event: TouchEvent) =>
    event.touches.length > 1 && event.cancelable && event.preventDefault();
  on("touchstart", preventTwoFingerScroll);
  on("touchmove", preventTwoFingerScroll);

  on("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && !element.matches(":focus")) return handlers.scrolled("wheel");
    event.preventDefault();
    const turn = -event.deltaY * (event.deltaMode ? 0.05 : event.ctrlKey ? 0.01 : 0.002);
    handlers.zoom(Math.exp(Math.min(Math.max(turn, -LARGEST_TURN), LARGEST_TURN)), ...pointerPosition(event));
  });

  on("keydown", (event) => {
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys(handlers)[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
    if (event.key === "Escape") element.blur();
    else handlers.hover(handlers.middle(), true);
  });
  return () => controller.abort();
}

function keys(handlers: GestureHandlers): Record<string, (() => void) | undefined> {
  const zoom = (factor: number) => () => handlers.zoom(factor, ...handlers.middle());
  return {
    ArrowLeft: () => handlers.pan(PAN_STEP, 0),
    ArrowRight: () => handlers.pan(-PAN_STEP, 0),
    ArrowUp: () => handlers.pan(0, PAN_STEP),
    ArrowDown: () => handlers.pan(0, -PAN_STEP),
    "+": zoom(1.5),
    "=": zoom(1.5),
    "-": zoom(1 / 1.5),
    "0": () => handlers.fit(),
    Enter: () => handlers.click(...handlers.middle()),
    Escape: () => handlers.hover(null, false),
  };
}

function pointerPosition(event: MouseEvent): [number, number] {
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

/** The center of the pointers that are down, and the distance of two of them. */
function grip(down: Map<number, [number, number]>): { x: number; y: number; span: number } {
  const all = [...down.values()];
  const [first, second] = [all[0]!, all.at(-1)!];
  return {
    x: (first[0] + second[0]) / 2,
    y: (first[1] + second[1]) / 2,
    span: Math.hypot(first[0] - second[0], first[1] - second[1]),
  };
}
