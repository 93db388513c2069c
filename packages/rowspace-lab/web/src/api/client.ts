// Calls the server, or the files of an exported site; no other module does, but for the probes of connection.svelte.ts
// and the events of jobs.

import { connection } from "./connection.svelte";
import { answer } from "./exported/answer";
import { UnknownWord } from "./exported/computed";
import { NEEDS_SERVER, site } from "./exported/site";
import { table } from "./table.svelte";
import { decode, type Reply } from "./reply";
import { transport } from "./transport";
import { addShownTokens } from "../shown-tokens";

export type Parameter = string | number | boolean | readonly (string | number)[] | undefined;
export type Parameters = Record<string, Parameter>;

/** A request that failed, with the server's message. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly kind: string,
    readonly status: number,
  ) {
    super(message);
  }

  /** Whether the server was unreachable or rejected the token, so that the last reply may still be valid. */
  get unreachable(): boolean {
    return this.status === 0 || this.status === 403;
  }
}

/**
 * The URL of an API route: undefined parameters are omitted, lists are repeated.
 *
 * It names the current table, unless `parameters` have a `table` of their own, which may be undefined.
 */
export function urlOf(path: string, parameters: Parameters = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries({ table: table.id || undefined, ...parameters })) {
    if (value === undefined) continue;
    for (const item of Array.isArray(value) ? value : [value]) search.append(name, String(item));
  }
  return `/api/${path}${search.size ? `?${search}` : ""}`;
}

/** Sends the text of an own table to a server that does not know it; resolves to false if the text is lost. */
type Restore = (id: string) => Promise<boolean>;
let restore: Restore = () => Promise.resolve(false);

/** Set what is tried once when the server does not know the current table. */
export function onUnknownTable(handler: Restore): void {
  restore = handler;
}

/** Call the server, with POST if there is a `body`. Throws an `ApiError` with the server's message. */
export async function request<Meta>(
  path: string,
  parameters?: Parameters,
  { signal, body }: { signal?: AbortSignal; body?: Blob } = {},
): Promise<Reply<Meta>> {
  const url = urlOf(path, parameters);
  const id = new URLSearchParams(url.split("?")[1]).get("table");
  try {
    return await send<Meta>(url, signal, body);
  } catch (error) {
    const unknown = error instanceof ApiError && error.kind === "UnknownTableError";
    if (!unknown || !id || !(await restore(id))) throw error;
    return await send<Meta>(url, signal, body);
  }
}

/** What to show after an upload failed; the field names its limit. */
export function uploadFailure(error: unknown): string {
  if (!(error instanceof ApiError)) return String(error);
  return error.status === 413 ? "The file is too large; choose a smaller one." : error.message;
}

async function send<Meta>(url: string, signal?: AbortSignal, body?: Blob): Promise<Reply<Meta>> {
  const reply = site ? await fromSite<Meta>(url, body) : await fromServer<Meta>(url, signal, body);
  if (reply.shown) addShownTokens(reply.shown, new URLSearchParams(url.split("?")[1]).get("table") ?? "");
  return reply;
}

/** The reply of an exported site. */
async function fromSite<Meta>(url: string, body?: Blob): Promise<Reply<Meta>> {
  const [path = "", search] = url.slice("/api/".length).split("?");
  const found = body
    ? undefined
    : await answer(path, new URLSearchParams(search)).catch((error: unknown) => {
        if (error instanceof UnknownWord) throw new ApiError(error.message, "UnknownTokenError", 404);
        throw new ApiError("A file of this site did not load. Reload the page.", "Unreachable", 0);
      });
  if (!found) throw new ApiError(NEEDS_SERVER, "NotExported", 404);
  const { refused, kind } = found.meta as { refused?: string; kind?: string };
  if (refused !== undefined && kind !== undefined) throw new ApiError(refused, kind, 400);
  return found as Reply<Meta>;
}

async function fromServer<Meta>(url: string, signal?: AbortSignal, body?: Blob): Promise<Reply<Meta>> {
  const response = await transport
    .fetch(url, { signal, body, method: body ? "POST" : "GET" })
    .catch((error: unknown) => {
      if (signal?.aborted) throw error;
      connection.failed();
      throw new ApiError(transport.silence, "Unreachable", 0);
    });
  connection.heard(response);
  if (!response.ok) throw await errorOf(response);
  return decode<Meta>(await response.arrayBuffer());
}

async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as { error?: string; kind?: string };
  const message = body.error ?? `The server responded with status ${response.status}.`;
  return new ApiError(message, body.kind ?? "Unknown", response.status);
}
