// Text as a piece of it can be seen: blanks and invisible characters spelled out, a mark on the circle that carries it.

const SHOWN: Record<string, string> = { " ": "␣", "\n": "↵", "\t": "⇥" };
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Z}]/gu;
const JOINER = "\u200d"; // inside of an emoji it joins; alone it is nothing

export function visible(text: string): string {
  const shown = text.replace(UNSEEN, (character, at: number) => {
    if (character === JOINER && at > 0 && at + 1 < text.length) return character;
    return SHOWN[character] ?? `⟨${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
  return /^\p{M}/u.test(shown) ? `◌${shown}` : shown;
}
