// The one place that talks to the server.

import { connection } from "../state/connection.svelte";
import { decode, type Reply } from "./reply";

export type Parameter = string | number | boolean | readonly (string | number)[] | undefined;
export type Parameters = Record<string, Parameter>;

/** A request that the server refused, in its own sentence. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly kind: string,
    readonly status: number,
  ) {
    super(message);
  }

  /** Whether the server refused nothing but could not be asked: the last answer may still be right. */
  get lost(): boolean {
    return this.status === 0 || this.status === 403;
  }
}

/** The address of a question: parameters that are undefined are left out, lists are repeated. */
export function addressOf(path: string, parameters: Parameters = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    for (const item of Array.isArray(value) ? value : [value]) search.append(name, String(item));
  }
  return `/api/${path}${search.size ? `?${search}` : ""}`;
}

/** Ask the server; `body`, where given, is sent by POST. Throws a `Refusal` with the server's sentence. */
export async function ask<Meta>(
  path: string,
  parameters?: Parameters,
  { signal, body }: { signal?: AbortSignal; body?: Blob } = {},
): Promise<Reply<Meta>> {
  const response = await fetch(addressOf(path, parameters), { signal, body, method: body ? "POST" : "GET" }).catch(
    (error: unknown) => {
      if (signal?.aborted) throw error;
      connection.failed();
      throw new Refusal("The server does not answer: is `rowspace lab` still running?", "Unreachable", 0);
    },
  );
  connection.heard(response);
  if (!response.ok) throw await refusalOf(response);
  return decode<Meta>(await response.arrayBuffer());
}

async function refusalOf(response: Response): Promise<Refusal> {
  const told = (await response.json().catch(() => ({}))) as { error?: string; kind?: string };
  const sentence = told.error ?? `The workbench answered with status ${response.status}.`;
  return new Refusal(sentence, told.kind ?? "Unknown", response.status);
}
