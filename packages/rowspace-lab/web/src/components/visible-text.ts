// Makes text visible: symbols for spaces and invisible characters, a dotted circle under combining marks.

const SHOWN: Record<string, string> = { " ": "␣", "\n": "↵", "\t": "⇥" };
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Z}]/gu;
const JOINERS = "\u200c\u200d"; // shape the letters or emoji around them; invisible alone

export function visible(text: string): string {
  const shown = text.replace(INVISIBLE, (character, at: number) => {
    if (JOINERS.includes(character) && at > 0 && at + 1 < text.length) return character;
    return SHOWN[character] ?? `⟨${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
  return /^\p{M}/u.test(shown) ? `◌${shown}` : shown;
}
