import { expect, test } from "vitest";
import { firstNotes, markedWords, placesText } from "./places";

test("the first notes by a ranking, with the right one at the end if it comes later", () => {
  const places = [3, 1, 0, 2];
  expect(firstNotes(places, 2, null)).toEqual([1, 3]);
  expect(firstNotes(places, 2, 3)).toEqual([1, 3]);
  expect(firstNotes(places, 2, 2)).toEqual([1, 3, 2]);
  expect(firstNotes(places, 9, 0)).toEqual([1, 3, 0]);
});

test("the places in words", () => {
  expect(placesText({ lexical: 0, dense: 1, hybrid: 2 })).toBe("1st by vectors, 2nd by both and not found by words");
  expect(placesText({ lexical: 1, dense: 4, hybrid: 1 })).toBe("1st by words, 4th by vectors and 1st by both");
});

test("the words of a note that the question has", () => {
  expect(markedWords("The E17: the", ["e17"])).toEqual([
    { text: "The", marked: false },
    { text: " ", marked: false },
    { text: "E17", marked: true },
    { text: ": ", marked: false },
    { text: "the", marked: false },
  ]);
});
