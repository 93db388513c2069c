// Light or dark: the system's preference or the user's choice, synchronized between tabs. Canvas code depends on
// `theme.dark` to redraw. In a notebook and in a page of the documentation, it is the theme of that page.

import { embeddedTheme, hasOwnUrl, inNotebook } from "../host";

type Preference = "light" | "dark";

const query = matchMedia("(prefers-color-scheme: dark)");

class Theme {
  #chosen = $state(hasOwnUrl ? (localStorage.getItem("theme") as Preference | null) : embeddedTheme);
  #system = $state(query.matches);
  dark = $derived(this.#chosen ? this.#chosen === "dark" : this.#system);

  constructor() {
    if (inNotebook) return;
    this.#apply();
    query.addEventListener("change", () => (this.#system = query.matches));
    if (!hasOwnUrl) return;
    addEventListener("storage", ({ key, newValue }) => {
      if (key !== "theme" && key !== null) return; // null: the storage was cleared
      this.#chosen = newValue as Preference | null;
      this.#apply();
    });
  }

  /** Follow the theme of the page around the front end. */
  follow(dark: boolean): void {
    this.#chosen = dark ? "dark" : "light";
    if (!inNotebook) this.#apply();
  }

  toggle(): void {
    this.#chosen = this.dark ? "light" : "dark";
    localStorage.setItem("theme", this.#chosen);
    this.#apply();
  }

  #apply(): void {
    if (this.#chosen) document.documentElement.dataset.theme = this.#chosen;
    else delete document.documentElement.dataset.theme;
  }
}

export const theme = new Theme();
