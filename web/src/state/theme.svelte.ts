// Light or dark: as the system has it, or as the reader chose, in all open tabs; drawings watch `theme.dark` to redraw.

type Choice = "light" | "dark";

const wished = matchMedia("(prefers-color-scheme: dark)");

class Theme {
  #chosen = $state(localStorage.getItem("theme") as Choice | null);
  #system = $state(wished.matches);
  dark = $derived(this.#chosen ? this.#chosen === "dark" : this.#system);

  constructor() {
    this.#show();
    wished.addEventListener("change", () => (this.#system = wished.matches));
    addEventListener("storage", ({ key, newValue }) => {
      if (key !== "theme" && key !== null) return; // null: everything was cleared
      this.#chosen = newValue as Choice | null;
      this.#show();
    });
  }

  toggle(): void {
    this.#chosen = this.dark ? "light" : "dark";
    localStorage.setItem("theme", this.#chosen);
    this.#show();
  }

  #show(): void {
    if (this.#chosen) document.documentElement.dataset.theme = this.#chosen;
    else delete document.documentElement.dataset.theme;
  }
}

export const theme = new Theme();
