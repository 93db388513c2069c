// What an exported site has instead of a server: replies that were recorded, in files, and the rows of its tables. The command
// `rowspace lab --export` writes them; see packages/rowspace-lab/src/rowspace_lab/export.

import { decode, type Reply } from "../reply";

/** What a part of the page says that an exported site cannot do. */
export const NEEDS_SERVER =
  "This needs the workbench on your own machine: pip install rowspace-lab, then rowspace lab.";

interface Site {
  /** The names of the files of replies. */
  files: string[];
  /** The ids of the tables whose rows are in the site; "" for the one that is shown first. */
  tables: string[];
  /** Another id of the table that is shown first. */
  also: string;
  /** The address of the documentation. */
  docs: string;
}

const element = globalThis.document?.getElementById("exported-site");

/** What the site has; null in the workbench, which asks its server. */
export const site = element ? (JSON.parse(element.textContent) as Site) : null;

/** Where each reply of a route is, by request, and the first file of these. */
interface Bundle {
  index: Record<string, [part: number, start: number, length: number]>;
  body: ArrayBuffer;
}

const bundles = new Map<string, Promise<Bundle>>();
const parts = new Map<string, Promise<ArrayBuffer>>();

/** The parameters of a request in the order of their names, as `requests.py` writes them. */
export function keyOf(parameters: URLSearchParams): string {
  const pairs = [...parameters].filter(([name, value]) => name !== "at" || !/^\d{13,}(-\d+)?$/.test(value)); // a time
  pairs.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
  return pairs.map(([name, value]) => `${name}=${value}`).join("&");
}

/** The recorded reply to a request about a table; undefined if there is none. */
export async function recorded(path: string, id: string, key: string): Promise<Reply<unknown> | undefined> {
  const name = `${path.replaceAll("/", "-")}.${id || "opened"}`;
  if (!site?.files.includes(name)) return undefined;
  const { index, body } = await once(bundles, name, load);
  if (!Object.hasOwn(index, key)) return undefined;
  const [part, start, length] = index[key]!;
  const file = part ? await once(parts, `replies/${name}.${part}.bin`, unpacked) : body;
  return decode(file.slice(start, start + length));
}

/** Load a file once, unless that fails. */
export function once<T>(loaded: Map<string, Promise<T>>, name: string, load: (name: string) => Promise<T>): Promise<T> {
  const found = loaded.get(name) ?? load(name);
  loaded.set(name, found);
  found.catch(() => loaded.delete(name));
  return found;
}

async function load(name: string): Promise<Bundle> {
  const body = await unpacked(`replies/${name}.bin`);
  const length = new DataView(body).getUint32(0, true);
  const index = JSON.parse(new TextDecoder().decode(new Uint8Array(body, 4, length))) as Bundle["index"];
  return { index, body: body.slice(4 + length) };
}

/** A compressed file of the site. The server sends it as it is, since no suffix tells it that it is compressed. */
export async function unpacked(name: string): Promise<ArrayBuffer> {
  const response = await fetch(name);
  if (!response.ok || !response.body) throw new Error(`the site has no file ${name}`);
  return new Response(response.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}
