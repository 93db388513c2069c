// The state of the page.

import { addressState, choice, flag, optional, text } from "../../state/address.svelte";

export const METHODS = ["3cosadd", "3cosmul"] as const;

export const analogyState = () =>
  addressState({
    a: text(""),
    b: text(""),
    c: text(""),
    expected: optional,
    method: choice(METHODS),
    kept: flag(false),
  });
