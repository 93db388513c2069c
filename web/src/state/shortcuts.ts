// Keys that work anywhere: `/` to the search field, `g` and a letter to a page, arrows step, `?` for help.

import { onMount } from "svelte";

export interface Actions {
  /** Open and close the help. */
  help(): void;
  /** Go to the page of this letter; false where none has it. */
  page(letter: string): boolean;
}

const SEQUENCE = 1500; // ms between `g` and the letter
const steppers: ((by: number) => void)[] = [];
let went = -Infinity;

/** Call `step` with -1 or 1 at ← and →, while the component that asks for it is there and no field has the focus. */
export function onstep(step: (by: number) => void): void {
  onMount(() => {
    steppers.push(step);
    return () => void steppers.splice(steppers.indexOf(step), 1);
  });
}

/** Handle a key pressed anywhere. */
export function handleKey(event: KeyboardEvent, actions: Actions): void {
  if (event.ctrlKey || event.metaKey || event.altKey || takesText(event.target)) return;
  if (event.timeStamp - went < SEQUENCE && event.key.length === 1) {
    went = -Infinity;
    if (actions.page(event.key)) return event.preventDefault();
  }
  if (event.key === "g") went = event.timeStamp;
  else if (event.key === "/") focusSearch();
  else if (event.key === "?") actions.help();
  else if (!step(event)) return;
  event.preventDefault();
}

function step(event: KeyboardEvent): boolean {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!by || !steppers.length || takesArrows(event.target)) return false;
  steppers.at(-1)?.(by);
  return true;
}

/** To the page's own field, or to the search beside the list of pages. */
function focusSearch(): void {
  const field =
    document.querySelector<HTMLInputElement>("main [data-search]") ??
    document.querySelector<HTMLInputElement>("[data-search]");
  field?.focus();
  field?.select();
}

const TEXT = "input:not([type=radio], [type=checkbox], [type=range], [type=file]), textarea, select, [contenteditable]";

function takesText(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(TEXT) !== null;
}

/** Sliders and radio buttons use the arrows themselves, and so do drawings with a crosshair. */
function takesArrows(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, [role=application]") !== null;
}
