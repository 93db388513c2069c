// The page of the documentation around the frame of a figure, which docs/assets/figures.js fills: it is told the height of the
// figure, and tells its theme.

import { theme } from "../state/theme.svelte";

/** A message in either direction. */
interface Told {
  figureHeight?: number;
  figureTheme?: string;
}

/** Tell the page around the height of an element whenever it changes, and follow its theme, until the element is removed. */
export function withPage(element: HTMLElement): () => void {
  const tell = (told: Told): void => parent.postMessage(told, location.origin);
  const growing = new ResizeObserver(() => tell({ figureHeight: Math.ceil(element.getBoundingClientRect().height) }));
  growing.observe(element);
  const hear = ({ origin, source, data }: MessageEvent<Told | null>): void => {
    if (origin !== location.origin || source !== parent || !data?.figureTheme) return;
    theme.follow(data.figureTheme === "dark");
  };
  addEventListener("message", hear);
  return () => {
    growing.disconnect();
    removeEventListener("message", hear);
  };
}
