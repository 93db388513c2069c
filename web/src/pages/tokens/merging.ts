// A text after some of its merges: which of its first symbols stand together.

import type { MergesReply } from "../../api/types.generated";
import { array, type Reply } from "../../lib/reply";

export interface Joined {
  text: string;
  /** Whether it was made in this very step. */
  fresh: boolean;
  /** Whether a word begins with it. */
  begins: boolean;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The tokens after so many steps. */
export function tokensAfter(reply: Reply<MergesReply>, step: number): Joined[] {
  const [joined, ends] = [array(reply, "joined"), array(reply, "ends")];
  const [utf8, begins] = [array(reply, "utf8") as Uint8Array, array(reply, "begins")];
  const starts = [...joined.keys()].filter((symbol) => joined[symbol] === 0 || (joined[symbol] as number) > step);
  return starts.map((first, index) => {
    const after = starts[index + 1] ?? joined.length;
    return {
      text: textOf(utf8.subarray(first ? ends[first - 1] : 0, ends[after - 1])),
      fresh: joined.subarray(first + 1, after).includes(step),
      begins: begins[first] === 1,
    };
  });
}

/** Bytes as text; spelled out where they are not valid UTF-8. */
function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return Array.from(bytes, (byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`).join("");
  }
}
