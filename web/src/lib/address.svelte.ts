// The page's state is the URL: what a page reads here, it reads from there, so that a link is a state.

/** How a value stands in the URL. */
export interface Kind<T> {
  read(values: string[]): T;
  write(value: T): string[];
}

export const text = (initial = ""): Kind<string> => ({
  read: ([value]) => value ?? initial,
  write: (value) => (value === initial ? [] : [value]),
});

export const texts = (initial: readonly string[] = []): Kind<string[]> => ({
  read: (values) => (values.length ? values : [...initial]),
  write: (values) => (values.join("\n") === initial.join("\n") ? [] : values),
});

export const flag = (initial = false): Kind<boolean> => ({
  read: ([value]) => (value === undefined ? initial : value === "true"),
  write: (value) => (value === initial ? [] : [String(value)]),
});

export const number = (initial: number, low: number, high: number): Kind<number> => ({
  read: ([value]) => {
    const given = Number(value);
    return value === undefined || Number.isNaN(given) ? initial : Math.min(high, Math.max(low, given));
  },
  write: (value) => (value === initial ? [] : [String(value)]),
});

export const choice = <T extends string>(options: readonly [T, ...T[]], initial: T = options[0]): Kind<T> => ({
  read: ([value]) => options.find((option) => option === value) ?? initial,
  write: (value) => (value === initial ? [] : [value]),
});

const WRITTEN_EVERY = 150; // ms: browsers refuse to have the URL changed with each pixel of a slider

class Address {
  page = $state(pageOf(location.pathname));
  search = $state(location.search);
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    addEventListener("popstate", () => {
      clearTimeout(this.#timer);
      this.page = pageOf(location.pathname);
      this.search = location.search;
    });
    addEventListener("pagehide", () => this.#write());
  }

  /** Turn to a page, as a link does. */
  go(page: string, search = ""): void {
    if (this.#timer) this.#write();
    history.pushState(null, "", `/${page}${search}`);
    this.page = page;
    this.search = search;
    scrollTo(0, 0);
  }

  change(name: string, values: string[]): void {
    const parameters = new URLSearchParams(this.search);
    const [first, ...others] = values;
    if (first === undefined) parameters.delete(name);
    else parameters.set(name, first); // in its old place
    for (const value of others) parameters.append(name, value);
    this.search = parameters.size ? `?${parameters}` : "";
    this.#timer ??= setTimeout(() => this.#write(), WRITTEN_EVERY);
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    history.replaceState(null, "", location.pathname + this.search);
  }
}

function pageOf(path: string): string {
  return path.split("/")[1] || "words";
}

export const address = new Address();

type State<Kinds> = { -readonly [Name in keyof Kinds]: Kinds[Name] extends Kind<infer T> ? T : never };

/** An object whose properties are read from the URL and written to it; at its initial value a property leaves no trace. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a Kind<T> is neither a subtype nor a supertype of Kind<unknown>
export function addressState<Kinds extends Record<string, Kind<any>>>(kinds: Kinds): State<Kinds> {
  const state = {} as State<Kinds>;
  for (const [name, kind] of Object.entries(kinds) as [string, Kind<unknown>][]) {
    Object.defineProperty(state, name, {
      enumerable: true,
      get: () => kind.read(new URLSearchParams(address.search).getAll(name)),
      set: (value) => address.change(name, kind.write(value)),
    });
  }
  return state;
}
