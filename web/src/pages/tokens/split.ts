// What the server tells of a text at one size of the vocabulary, and of the tokenizers that there are.

export interface Split {
  size: number;
  tokens: string[];
  /** What each token stands for in the text. */
  texts: string[];
  /** "special", "added" or "unknown"; empty for the others. */
  kinds: string[];
  /** Null where some tokens are unknown; bytes are those of the known tokens, null where there are none. */
  tokens_per_word: number | null;
  bytes_per_token: number | null;
  /** How many tokens are unknown, and the share of the characters in them. */
  unknown: number;
  unknown_share: number;
}

export interface Splits {
  text: string;
  splits: Split[];
  /** How often the most frequent token was trained; null where no counts are known. */
  most: number | null;
  code: string;
}

export interface Tokenizer {
  kind: string;
  /** What its vocabulary can be cut to, and which of them to show at first. */
  sizes: number[];
  shown: number[];
}

export interface Source {
  /** Null where there is no such tokenizer, or none yet. */
  found: Tokenizer | null;
}
