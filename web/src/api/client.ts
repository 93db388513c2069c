// The only module that calls the server.

import { connection } from "../state/connection.svelte";
import { decode, type Reply } from "./reply";

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

/** The URL of an API route: undefined parameters are omitted, lists are repeated. */
export function urlOf(path: string, parameters: Parameters = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    for (const item of Array.isArray(value) ? value : [value]) search.append(name, String(item));
  }
  return `/api/${path}${search.size ? `?${search}` : ""}`;
}

/** Call the server, with POST if there is a `body`. Throws an `ApiError` with the server's message. */
export async function request<Meta>(
  path: string,
  parameters?: Parameters,
  { signal, body }: { signal?: AbortSignal; body?: Blob } = {},
): Promise<Reply<Meta>> {
  const response = await fetch(urlOf(path, parameters), { signal, body, method: body ? "POST" : "GET" }).catch(
    (error: unknown) => {
      if (signal?.aborted) throw error;
      connection.failed();
      throw new ApiError("The server does not respond. Is `rowspace lab` still running?", "Unreachable", 0);
    },
  );
  connection.heard(response);
  if (!response.ok) throw await errorOf(response);
  return decode<Meta>(await response.arrayBuffer());
}

async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as { error?: string; kind?: string };
  const message = body.error ?? `The server responded with status ${response.status}.`;
  return new ApiError(message, body.kind ?? "Unknown", response.status);
}
