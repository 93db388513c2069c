// Requests as messages of the widget to its kernel; rowspace_lab/notebook/requests.py describes them.

import type { Events, Transport } from "../api/transport";

/** What anywidget gives of the model of a widget. */
export interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  send(content: object, callbacks?: unknown, buffers?: ArrayBuffer[]): void;
  on(event: string, handler: (...values: never[]) => void): void;
  off(event: string, handler: (...values: never[]) => void): void;
}

interface Message {
  id?: string;
  status?: number;
  more?: boolean;
}

const PATIENCE = 4000; // ms
const EMPTY = 204; // the status of a response without a body
const [CONNECTING, OPEN, CLOSED] = [0, 1, 2]; // the states of an EventSource

export class Messages implements Transport {
  readonly silence = "The kernel of the notebook does not respond.";
  /** Whether the kernel has not answered for a while: it runs a cell, or there is none. */
  unanswered = $state(false);
  /** Whether it has answered before. */
  answered = $state(false);
  #model: Model;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waiting = new Map<string, (message: Message, part?: DataView) => void>();
  #count = 0;
  /** All windows that show the notebook receive the responses, so their requests have different ids. */
  #window = Math.random().toString(36).slice(2);

  constructor(model: Model) {
    this.#model = model;
    model.on("msg:custom", this.#receive);
  }

  /** Receive no more messages. */
  close(): void {
    clearTimeout(this.#timer);
    this.#model.off("msg:custom", this.#receive);
  }

  #receive = (message: Message, buffers?: DataView[]): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.unanswered = false;
    this.answered = true;
    if (message.id !== undefined) this.#waiting.get(message.id)?.(message, buffers?.[0]);
  };

  async fetch(url: string, { method = "GET", body, signal }: RequestInit = {}): Promise<Response> {
    const buffers = body instanceof Blob ? [await body.arrayBuffer()] : [];
    signal?.throwIfAborted();
    const id = `${this.#window}-${++this.#count}`;
    return new Promise((resolve, reject) => {
      let arrived!: ReadableStreamDefaultController<Uint8Array>;
      const stop = (): boolean => {
        const waits = this.#waiting.delete(id);
        if (waits) this.#model.send({ id, stop: true });
        return waits;
      };
      const stream = new ReadableStream<Uint8Array>({
        start: (controller) => void (arrived = controller),
        cancel: () => void stop(),
      });
      signal?.addEventListener("abort", () => {
        if (!stop()) return;
        arrived.error(signal.reason);
        reject(signal.reason as Error);
      });
      this.#waiting.set(id, ({ status, more }, part) => {
        if (status !== undefined) resolve(new Response(status === EMPTY ? null : stream, { status }));
        else if (part) arrived.enqueue(new Uint8Array(part.buffer as ArrayBuffer, part.byteOffset, part.byteLength));
        if (more === false && this.#waiting.delete(id)) arrived.close();
      });
      this.#model.send({ id, method, url }, undefined, buffers);
      this.#expectAnswer();
    });
  }

  events(url: string): Events {
    return new MessageEvents(this, url);
  }

  /** Ask the kernel whether it is there, since the response to a request may take long. */
  #expectAnswer(): void {
    if (this.#timer !== undefined) return;
    this.#model.send({ ping: this.#window });
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.unanswered = true;
    }, PATIENCE);
  }
}

/** The events of a response, like an `EventSource`, which does not reconnect. */
class MessageEvents extends EventTarget implements Events {
  readyState: number = CONNECTING;
  onerror: ((event: Event) => void) | null = null;
  #closing = new AbortController();

  constructor(messages: Messages, url: string) {
    super();
    void this.#follow(messages, url)
      .catch(() => undefined)
      .then(() => this.#end());
  }

  close(): void {
    this.readyState = CLOSED;
    this.#closing.abort();
  }

  async #follow(messages: Messages, url: string): Promise<void> {
    const response = await messages.fetch(url, { signal: this.#closing.signal });
    if (!response.ok || !response.body) return;
    this.readyState = OPEN;
    this.dispatchEvent(new Event("open"));
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    let text = "";
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      const blocks = (text + decoder.decode(value, { stream: true })).split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) this.#dispatch(block);
    }
  }

  #dispatch(block: string): void {
    const fields = new Map(block.split("\n").map((line) => line.split(/: (.*)/s) as [string, string]));
    this.dispatchEvent(new MessageEvent(fields.get("event") ?? "message", { data: fields.get("data") }));
  }

  /** Report a response that ended before the last event, which closes this. */
  #end(): void {
    if (this.readyState === CLOSED) return;
    this.readyState = CLOSED;
    const event = new Event("error");
    this.dispatchEvent(event);
    this.onerror?.(event);
  }
}
