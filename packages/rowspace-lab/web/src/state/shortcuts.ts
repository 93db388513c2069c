// Global keyboard shortcuts: `/` focuses the search field, `g` and a letter opens a page, arrows step, `?` shows help.

import { onMount } from "svelte";

export interface Actions {
  /** Toggle the help. */
  help(): void;
  /** Open the page with this letter; false if there is none. */
  page(letter: string): boolean;
}

const SEQUENCE_TIMEOUT = 1500; // ms between `g` and the letter
interface Stepper {
  step: (by: number) => void;
  /** A selector of elements in which the arrow keys belong to another stepper. */
  except?: string;
}

const steppers: Stepper[] = [];
let prefixTime = -Infinity; // of the last `g`

/**
 * Call `step` with -1 or 1 on ← and →, while the calling component is mounted and no field has the focus.
 *
 * The newest component gets the keys, except that one with an `except` gets them first, unless the focus is in there.
 */
export function onstep(step: (by: number) => void, except?: string): void {
  onMount(() => {
    const stepper = { step, except };
    steppers.push(stepper);
    return () => void steppers.splice(steppers.indexOf(stepper), 1);
  });
}

/** Handle a keydown event of the window. */
export function handleKey(event: KeyboardEvent, actions: Actions): void {
  if (event.ctrlKey || event.metaKey || event.altKey || acceptsText(event.target)) return;
  if (event.timeStamp - prefixTime < SEQUENCE_TIMEOUT && event.key.length === 1) {
    prefixTime = -Infinity;
    if (actions.page(event.key)) return event.preventDefault();
  }
  if (event.key === "g") prefixTime = event.timeStamp;
  else if (event.key === "/") focusSearch();
  else if (event.key === "?") actions.help();
  else if (!step(event)) return;
  event.preventDefault();
}

function step(event: KeyboardEvent): boolean {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!by || !steppers.length || acceptsArrows(event.target)) return false;
  stepperFor(event.target)?.step(by);
  return true;
}

function stepperFor(target: EventTarget | null): Stepper | undefined {
  const first = steppers.find(({ except }) => except && !(target instanceof Element && target.closest(except)));
  return first ?? steppers.at(-1);
}

/** Focus the page's own field, or else the word search in the navigation. A folded field is unfolded. */
function focusSearch(): void {
  const field =
    document.querySelector<HTMLInputElement>("main [data-search]") ??
    document.querySelector<HTMLInputElement>("[data-search]");
  const fold = field?.closest("details");
  if (fold) fold.open = true;
  field?.focus();
  field?.select();
}

const TEXT = "input:not([type=radio], [type=checkbox], [type=range], [type=file]), textarea, select, [contenteditable]";

function acceptsText(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(TEXT) !== null;
}

/** Sliders, radio buttons and figures with a crosshair handle arrow keys themselves. */
function acceptsArrows(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, [role=application]") !== null;
}
