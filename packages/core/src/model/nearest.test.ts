import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

test("the nearest word is one of few changes, whatever its letter case and separators", () => {
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
