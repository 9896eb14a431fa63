import { expect, test } from "vitest";
import { CTRL_R, type HistorySearch, pressSearch, startSearch, textOf } from "./history-search.ts";

const HISTORY = ["npm test", "fix the build", "Build it again", "hello"];

/** The lines that are shown after each key. */
function shown(...keys: readonly string[]): readonly string[] {
  let search: HistorySearch = startSearch("begun");
  return keys.map((key) => {
    const step = pressSearch(search, key, HISTORY);
    if (step.type !== "search") return `${step.type} ${step.text}`;
    search = step.search;
    return textOf(search, HISTORY);
  });
}

test("letters narrow the search in any letter case, and Ctrl-R takes older lines until there is none", () => {
  expect(shown(CTRL_R, "b", "u", CTRL_R, CTRL_R, "\u007f")).toEqual([
    "begun",
    "fix the build",
    "fix the build",
    "Build it again",
    "Build it again",
    "fix the build",
  ]);
  expect(shown("z", "z")).toEqual(["", ""]);
});

test("Enter and the arrows accept the line and also do their work, Esc only accepts the line, and Ctrl-G and Ctrl-C bring back the earlier line", () => {
  const found = pressSearch(startSearch("begun"), "h", HISTORY);
  if (found.type !== "search") throw new Error("a letter searches");
  const press = (key: string) => pressSearch(found.search, key, HISTORY);
  expect(press("\r")).toEqual({ type: "take", text: "fix the build", key: "\r" });
  expect(press("\u001b[D")).toEqual({ type: "take", text: "fix the build", key: "\u001b[D" });
  expect(press("\u001b")).toEqual({ type: "take", text: "fix the build", key: "" });
  for (const key of ["\u0007", "\u0003"]) expect(press(key)).toEqual({ type: "cancel", text: "begun" });
});
