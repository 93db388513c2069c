// How requests reach the server: over HTTP or, in a notebook, as messages to its kernel.

/** The events of a job, as an `EventSource` delivers them. */
export interface Events extends EventTarget {
  readonly readyState: number;
  onerror: ((event: Event) => void) | null;
  close(): void;
}

export interface Transport {
  fetch(url: string, init?: RequestInit): Promise<Response>;
  events(url: string): Events;
  /** The failure of a request without a response. */
  silence: string;
}

/** The current one; `setTransport` replaces it. */
export let transport: Transport = {
  fetch: (url, init) => fetch(url, init),
  events: (url) => new EventSource(url),
  silence: "The server does not respond. Is `rowspace lab` still running?",
};

export function setTransport(other: Transport): void {
  transport = other;
}
