// The tokens of a text after some of its merges.

import { array, type Reply } from "../../api/reply";
import type { MergesReply } from "../../api/types.generated";

export interface Joined {
  text: string;
  /** Whether this step created it. */
  fresh: boolean;
  /** Whether it starts a word. */
  begins: boolean;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The tokens after `step` merges. */
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

/** Bytes as text, or as hexadecimal numbers in brackets if they are not valid UTF-8. */
function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return `⟨${Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ")}⟩`;
  }
}
