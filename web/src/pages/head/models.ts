// What a head of its own costs published models, as the server counts it.

export interface TyingMeta {
  models: string[];
  tied: boolean[];
  /** V and the width of a row. */
  sizes: [number, number][];
  /** The code, without its opening. */
  more: string;
}
