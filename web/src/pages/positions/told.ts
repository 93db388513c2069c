// The names of the scalings of rotary.

/** What the scalings are called. */
export const SCALINGS: Record<string, string> = {
  none: "none",
  linear: "linear",
  dynamic: "dynamic NTK",
  yarn: "YaRN",
  longrope: "LongRoPE",
  llama3: "Llama 3",
};
