// Decodes replies: JSON metadata and little-endian binary arrays, written by packages/rowspace-lab/src/rowspace_lab/server/reply.py.

export type NumericArray = Float32Array | Float64Array | Int32Array | Uint32Array | Uint8Array;

export interface Reply<Meta> {
  meta: Meta;
  arrays: Record<string, NumericArray>;
  shapes: Record<string, number[]>;
  /** What to show for tokens of `meta` that are not shown as they are. */
  shown?: Record<string, string>;
}

interface Header {
  meta: unknown;
  arrays: { name: string; dtype: string; shape: number[]; offset: number }[];
  shown?: Record<string, string>;
}

const DTYPES = {
  "<f4": Float32Array,
  "<f8": Float64Array,
  "<i4": Int32Array,
  "<u4": Uint32Array,
  "|u1": Uint8Array,
} as const;

/** Decode the body of a response. The arrays share its memory. */
export function decode<Meta>(body: ArrayBuffer): Reply<Meta> {
  const length = new DataView(body).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(body, 4, length))) as Header;
  const start = Math.ceil((4 + length) / 8) * 8;
  const reply: Reply<Meta> = { meta: header.meta as Meta, arrays: {}, shapes: {}, shown: header.shown };
  for (const { name, dtype, shape, offset } of header.arrays) {
    const ArrayType = DTYPES[dtype as keyof typeof DTYPES];
    const count = shape.reduce((product, size) => product * size, 1);
    reply.arrays[name] = new ArrayType(body, start + offset, count);
    reply.shapes[name] = shape;
  }
  return reply;
}

/** An array by name; a missing one is an internal error. */
export function array(reply: Reply<unknown>, name: string): NumericArray {
  const found = reply.arrays[name];
  if (!found) throw new Error(`the reply has no array ${name}, only ${Object.keys(reply.arrays).join(", ")}`);
  return found;
}
