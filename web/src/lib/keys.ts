// Keys that work anywhere: `/` to the search field, arrows step, `?` for help.

import { onMount } from "svelte";

const steppers: ((by: number) => void)[] = [];

/** Call `step` with -1 or 1 at ← and →, while the component that asks for it is there and no field has the focus. */
export function onstep(step: (by: number) => void): void {
  onMount(() => {
    steppers.push(step);
    return () => void steppers.splice(steppers.indexOf(step), 1);
  });
}

/** Handle a key pressed anywhere; `help` opens and closes the help. */
export function handleKey(event: KeyboardEvent, help: () => void): void {
  if (event.ctrlKey || event.metaKey || event.altKey || takesKeys(event.target)) return;
  if (event.key === "/") focusSearch();
  else if (event.key === "?") help();
  else if (event.key === "ArrowLeft" && steppers.length) steppers.at(-1)?.(-1);
  else if (event.key === "ArrowRight" && steppers.length) steppers.at(-1)?.(1);
  else return;
  event.preventDefault();
}

function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>("[data-search]");
  field?.focus();
  field?.select();
}

/** Whether what has the focus uses keys itself: fields do, and drawings with a crosshair. */
function takesKeys(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, textarea, select, [role=application]") !== null;
}
