// Global keyboard shortcuts: `/` focuses the search field, `g` and a letter opens a page, arrows step, `?` shows help.

import { onMount } from "svelte";

export interface Actions {
  /** Toggle the help. */
  help(): void;
  /** Open the page with this letter; false if there is none. */
  page(letter: string): boolean;
}

const SEQUENCE_TIMEOUT = 1500; // ms between `g` and the letter
const steppers: ((by: number) => void)[] = [];
let prefixTime = -Infinity; // of the last `g`

/** Call `step` with -1 or 1 on ← and →, while the calling component is mounted and no field has the focus. */
export function onstep(step: (by: number) => void): void {
  onMount(() => {
    steppers.push(step);
    return () => void steppers.splice(steppers.indexOf(step), 1);
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
  steppers.at(-1)?.(by);
  return true;
}

/** Focus the page's own field, which may be among folded controls, or else the search in the navigation. */
function focusSearch(): void {
  const field =
    document.querySelector<HTMLInputElement>("main [data-search]") ??
    document.querySelector<HTMLInputElement>("[data-search]");
  const folded = field?.closest("details");
  if (folded) folded.open = true;
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
