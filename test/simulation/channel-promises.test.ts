import { describe, expect, test } from "vitest";
import { isCutOff } from "./channel-promises.ts";

describe("a message that was cut off", () => {
  const said = (...parts: (readonly [string, boolean])[]) => ({
    first: "to ann",
    text: "",
    isWhole: false,
    parts: parts.map(([delta, isStored]) => ({ delta, isStored })),
  });

  test("may have the words of any of several tries that say the same", () => {
    expect(isCutOff("to ann: yes", said([": yes", false], [": yes", true]))).toBe(true);
    expect(isCutOff("to ann: yes: yes", said([": yes", false], [": yes", true]))).toBe(true);
  });

  test("has every part that was confirmed, in order, and nothing else", () => {
    expect(isCutOff("to ann: yes", said([": yes", true], [": yes", true]))).toBe(false);
    expect(isCutOff("to ann b a", said([" a", true], [" b", true]))).toBe(false);
    expect(isCutOff("to ann: yes, or", said([": yes", true]))).toBe(false);
    expect(isCutOff("to bob: yes", said([": yes", true]))).toBe(false);
  });
});
