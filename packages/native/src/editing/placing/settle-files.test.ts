/** Files that a killed process left half written: what was added is taken back, and nothing else is touched. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import type { PlaceNote } from "./notes.ts";
import { addText, settleAppend, settlePlaced } from "./settle-files.ts";

const PID = 4_194_304;

let folder: string;
let path: string;
beforeEach(() => {
  folder = scratchFolder("settle-files");
  path = join(folder, "session.jsonl");
});

const read = (file = path): string => readFileSync(file, "utf8");

describe("an append that was cut off", () => {
  const text = '{"é":1}\n{"b":2}\n';

  test.each<[string, string, string, string]>([
    ["before its first byte changes nothing", "old\n", "", "old\n"],
    ["after its first byte is taken back", "old\n", "{", "old\n"],
    ["after its first line is taken back", "old\n", '{"é":1}\n', "old\n"],
    ["before its last byte is taken back", "old\n", text.slice(0, -1), "old\n"],
    ["after its last byte is complete", "old\n", text, `old\n${text}`],
    ["after the line feed that ends a torn line is taken back", "torn", "\n", "torn"],
    ["in a line after a torn one is taken back", "torn", '\n{"', "torn"],
    ["before its last byte, after a torn line, is taken back", "torn", `\n${text.slice(0, -1)}`, "torn"],
    ["after its last byte, after a torn line, is complete", "torn", `\n${text}`, `torn\n${text}`],
    ["stays where the agent wrote something else", "old\n", '{"x"', 'old\n{"x"'],
    ["stays where the agent continued after a part of it", "old\n", '{"é":1}\n{"c', 'old\n{"é":1}\n{"c'],
    ["stays where the agent continued after all of it", "old\n", `${text}{}\n`, `old\n${text}{}\n`],
  ])("%s", (_name, before, added, after) => {
    writeFileSync(path, before + added);
    settleAppend({ how: "append", path, size: Buffer.byteLength(before), text }, PID);
    expect(read()).toBe(after);
  });

  test("within a character is taken back", () => {
    writeFileSync(path, Buffer.concat([Buffer.from("old\n"), Buffer.from(text).subarray(0, 3)]));
    settleAppend({ how: "append", path, size: 4, text }, PID);
    expect(read()).toBe("old\n");
  });

  test("of a file that has become shorter changes nothing", () => {
    writeFileSync(path, "new\n");
    settleAppend({ how: "append", path, size: 10, text }, PID);
    expect(read()).toBe("new\n");
  });

  test("of a file that was never placed removes the new file that was being written", () => {
    writeFileSync(`${path}.new-${PID}`, "{");
    writeFileSync(`${path}.new-1`, "of another process");
    settleAppend({ how: "append", path, size: 0, text }, PID);
    expect(readdirSync(folder)).toEqual(["session.jsonl.new-1"]);
  });
});

describe("a new session whose placing was cut off", () => {
  let index: string;
  let mark: string;
  beforeEach(() => {
    index = join(folder, "index.jsonl");
    mark = join(folder, "mark");
  });

  function note(text = '{"id":"s"}\n'): PlaceNote {
    return {
      how: "place",
      agent: "pi",
      sessionId: "s",
      location: path,
      path,
      key: null,
      besides: [
        { how: "create", path: mark, text: "mark" },
        { how: "append", path: index, text },
      ],
    };
  }

  test("leaves no file next to its place, and no line of it, if it is not there", () => {
    for (const file of [path, index, mark]) writeFileSync(`${file}.new-${PID}`, "half");
    writeFileSync(index, '{"id":"o"}\n');
    settlePlaced(note(), PID, false);
    expect(readdirSync(folder)).toEqual(["index.jsonl"]);
    expect(read(index)).toBe('{"id":"o"}\n');
  });

  test.each<[string, string | null, string]>([
    ["no index", null, '{"id":"s"}\n'],
    ["an empty index", "", '{"id":"s"}\n'],
    ["an index without its line", '{"id":"o"}\n', '{"id":"o"}\n{"id":"s"}\n'],
    ["an index with a part of its line", '{"id":"é"}\n{"id":', '{"id":"é"}\n{"id":"s"}\n'],
    ["an index with its line", '{"id":"s"}\n{"id":"o"}\n', '{"id":"s"}\n{"id":"o"}\n'],
    ["an index that lacks the last line feed", '{"id":"s"}', '{"id":"s"}\n'],
    ["an index with a torn line of another", '{"id":"o', '{"id":"o\n{"id":"s"}\n'],
  ])("gets its line in %s if it is there", (_name, before, after) => {
    if (before !== null) writeFileSync(index, before);
    settlePlaced(note(), PID, true);
    expect(read(index)).toBe(after);
    expect(existsSync(mark)).toBe(false);
  });
});

test("a text is added to a file once", () => {
  const beside = { how: "append", path, text: "a\n" } as const;
  addText(beside);
  expect(read()).toBe("a\n");
  addText(beside);
  expect(read()).toBe("a\n");
  addText({ ...beside, text: "b\n" });
  expect(read()).toBe("a\nb\n");
});
