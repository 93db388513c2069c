// What the server tells of a picture in patches.

export interface Cut {
  picture: string;
  channels: number;
  height: number;
  width: number;
  patch: number;
  grid: [down: number, across: number];
  patches: number;
  numbers: number;
  at: number;
  order: "channels_first" | "channels_last";
  dim: number;
  unit: number;
  parameters: number;
  difference: number;
  code: string;
}

export interface Costs {
  height: number;
  width: number;
  dim: number;
  code: string;
}
