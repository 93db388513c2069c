// Edits of the sentences that a table is learned from.

/** Swap two words in all sentences, so that each gets the contexts of the other. */
export function swapWords(text: string, one: string, other: string): string {
  return text.replace(/[\p{L}\p{N}_-]+/gu, (word) => (word === one ? other : word === other ? one : word));
}

/** Add a sentence above the others, where it can be seen. */
export function addSentence(text: string, sentence: string): string {
  return sentence.trim() ? `${sentence.trim()}\n${text}` : text;
}
