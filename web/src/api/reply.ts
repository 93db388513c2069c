// What the server tells: facts as JSON, arrays as little-endian binary; src/rowspace/lab/server/reply.py writes it.

export type Numbers = Float32Array | Float64Array | Int32Array | Uint32Array | Uint8Array;

export interface Reply<Meta> {
  meta: Meta;
  arrays: Record<string, Numbers>;
  shapes: Record<string, number[]>;
}

interface Header {
  meta: unknown;
  arrays: { name: string; dtype: string; shape: number[]; offset: number }[];
}

const KINDS = {
  "<f4": Float32Array,
  "<f8": Float64Array,
  "<i4": Int32Array,
  "<u4": Uint32Array,
  "|u1": Uint8Array,
} as const;

/** The body of a reply → its facts and its arrays, which share the body's memory. */
export function decode<Meta>(body: ArrayBuffer): Reply<Meta> {
  const length = new DataView(body).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(body, 4, length))) as Header;
  const start = Math.ceil((4 + length) / 8) * 8;
  const reply: Reply<Meta> = { meta: header.meta as Meta, arrays: {}, shapes: {} };
  for (const { name, dtype, shape, offset } of header.arrays) {
    const kind = KINDS[dtype as keyof typeof KINDS];
    const count = shape.reduce((product, size) => product * size, 1);
    reply.arrays[name] = new kind(body, start + offset, count);
    reply.shapes[name] = shape;
  }
  return reply;
}

/** The array of that name; a reply without it is a mistake of ours. */
export function array(reply: Reply<unknown>, name: string): Numbers {
  const found = reply.arrays[name];
  if (!found) throw new Error(`the reply has no array ${name}, only ${Object.keys(reply.arrays).join(", ")}`);
  return found;
}
