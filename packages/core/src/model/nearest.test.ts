import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

test("the nearest word differs by few changes; letter case and separators do not count", () => {
  const words = ["model", "command", "on_missing"];
  expect(["modle", "Model", "comand", "onMissing", "zzz", ""].map((word) => nearest(word, words))).toEqual([
    "model",
    "model",
    "command",
    "on_missing",
    null,
    null,
  ]);
});
