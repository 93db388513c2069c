// The state of the page and of its map.

import type { Viewport } from "../../map/map";
import { addressState, choice, flag, number, picked, text, texts, type UrlCodec } from "../../state/address.svelte";
import type { Coloring } from "./map/colors";
import { lasso } from "./map/lasso";

export const METRICS = ["cosine", "dot", "euclidean"] as const;
export const MAPS = ["pca", "tsne", "umap"] as const;
export type MapName = (typeof MAPS)[number];
export const MAP_NAMES = { pca: "PCA", tsne: "t-SNE", umap: "UMAP" };
export const PERPLEXITIES = ["5", "30", "80"] as const;
export const NEIGHBORS = ["5", "15", "50"] as const;
/** That of maps that belong to a table. */
export const STORED_NEIGHBORS = "15";

/** `x,y,scale`; null shows all points. */
const viewport: UrlCodec<Viewport | null> = {
  history: "replace",
  read: ([text]) => {
    const [x = NaN, y = NaN, scale = NaN] = (text ?? "").split(",").map(Number);
    return Number.isFinite(x + y) && scale > 0 && scale < Infinity ? { x, y, scale } : null;
  },
  write: (at) => (at ? [[at.x, at.y, at.scale].map((value) => Number(value.toPrecision(5))).join(",")] : []),
};

export const TABS = ["row", "two", "counts", "learned", "probe", "list"] as const;
export const TAB_NAMES = {
  row: "Row",
  two: "Two words",
  counts: "Counts",
  learned: "Learned four ways",
  probe: "Probe",
  list: "List",
};
export const PROPERTIES = [
  "ends-in-s",
  "ends-in-ing",
  "capital",
  "long",
  "frequent",
  "noun",
  "pleasant",
  "own",
] as const;

export const wordState = () =>
  addressState({
    word: texts(),
    metric: choice(METRICS),
    tab: choice(TABS),
    /** The seed of the rotation; 0: the table as it is. */
    turn: picked(number(0, 0, 1_000_000)),
    stretch: number(1, -2, 4),
    property: choice(PROPERTIES),
    /** The word whose neighbors are compared in tables learned four ways. */
    learned: text("import"),
    /** Whether the map has only the chosen words; groups of them, one per line; and "a b c" of an analogy. */
    chosen: flag(false),
    /** Whether the tabs are shown without the map above them. */
    nomap: flag(false),
    groups: text(""),
    analogy: text(""),
  });

export type WordState = ReturnType<typeof wordState>;

export const mapState = () =>
  addressState({
    /** "": UMAP if it is stored or has been computed in the background, else PCA. */
    map: choice<MapName | "">(["", ...MAPS]),
    perplexity: choice(PERPLEXITIES, "30"),
    num_neighbors: choice(NEIGHBORS, STORED_NEIGHBORS),
    color: choice<Coloring | "">(["", "count", "norm", "cluster"]),
    lasso,
    viewport,
  });

export type MapState = ReturnType<typeof mapState>;
