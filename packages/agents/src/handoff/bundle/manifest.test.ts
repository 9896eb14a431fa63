/** The content of a manifest, at each limit and one beyond it. */

import { describe, expect, test } from "vitest";
import { MAX_FILES, MAX_NAME_BYTES, MAX_PATH_BYTES, MAX_TOTAL_BYTES } from "./limits.ts";
import { type BundledFile, isSafePath, type Manifest, noBundle, parseManifest } from "./manifest.ts";

const SHA256 = "0123456789abcdef".repeat(4);
const MANIFEST: Manifest = {
  continuoBundle: 1,
  agent: "claude",
  sessionId: "s",
  cwd: "/home/dev/project",
  title: "A title",
  packedAt: "2026-11-22T10:00:00.000Z",
  main: "a/main.jsonl",
  row: null,
  files: [file("a/main.jsonl", 7), file("a/main/other.jsonl")],
};

function file(path: string, sizeBytes = 0): BundledFile {
  return { path, sizeBytes, sha256: SHA256 };
}

function filesBeside(count: number): BundledFile[] {
  return Array.from({ length: count }, (_, at) => file(`b/${at}`));
}

/** A path of names that are as long as they may be. */
function pathOf(bytes: number): string {
  const name = "n".repeat(MAX_NAME_BYTES - 1);
  return `${name}/`
    .repeat(4)
    .slice(0, bytes - 1)
    .padEnd(bytes, "n");
}

const MAIN = file("a/main.jsonl");

test.each<[string, Partial<Record<keyof Manifest, unknown>>]>([
  ["all that a bundle has", {}],
  ["an unknown folder and title", { cwd: null, title: null }],
  ["a row of a database", { row: "r".repeat(200) }],
  ["an id as long as it may be", { sessionId: "s".repeat(200) }],
  ["a folder and a title as long as they may be", { cwd: "/".repeat(4_096), title: "t".repeat(4_096) }],
  ["as many files as there may be", { files: [MAIN, ...filesBeside(MAX_FILES - 1)] }],
  ["one file of all the bytes that there may be", { files: [file("a/main.jsonl", MAX_TOTAL_BYTES)] }],
  ["two files of all the bytes", { files: [file("a/main.jsonl", MAX_TOTAL_BYTES - 1), file("b", 1)] }],
  ["files whose names begin alike", { files: [MAIN, file("a/main"), file("a/main.jsonl2"), file("b")] }],
])("a manifest with %s is read as it is", (_name, change) => {
  const manifest = { ...MANIFEST, ...change };
  expect(parseManifest(manifest)).toEqual(manifest);
});

test("additional fields of a manifest are left out", () => {
  expect(parseManifest({ ...MANIFEST, later: 1, files: [{ ...MAIN, mode: 0o777 }] })).toEqual({
    ...MANIFEST,
    files: [MAIN],
  });
});

describe("a manifest is not that of a bundle", () => {
  test.each<[string, unknown]>([
    ["if it is null", null],
    ["if it is a text", "continuo"],
    ["if it is a list", [MANIFEST]],
    ...Object.entries({
      "without a version": { continuoBundle: undefined },
      "with the version 0": { continuoBundle: 0 },
      "with a version that is no number": { continuoBundle: "2" },
      "of an unknown agent": { agent: "toString" },
      "without an id": { sessionId: "" },
      "with an id that is too long": { sessionId: "s".repeat(201) },
      "with a folder that is too long": { cwd: "/".repeat(4_097) },
      "with a title that is too long": { title: "t".repeat(4_097) },
      "with a row that is too long": { row: "r".repeat(201) },
      "with no time": { packedAt: "yesterday" },
      "without files": { files: [] },
      "with too many files": { files: [MAIN, ...filesBeside(MAX_FILES)] },
      "with a size below zero": { files: [file("a/main.jsonl", -1)] },
      "with half a byte": { files: [file("a/main.jsonl", 0.5)] },
      "with a file that is too large": { files: [file("a/main.jsonl", MAX_TOTAL_BYTES + 1)] },
      "with a hash in capitals": { files: [{ ...MAIN, sha256: SHA256.toUpperCase() }] },
      "with a hash that is too short": { files: [{ ...MAIN, sha256: SHA256.slice(1) }] },
      "with a hash that is too long": { files: [{ ...MAIN, sha256: `${SHA256}0` }] },
      "with a path that leads up": { files: [MAIN, file("../b")] },
    }).map(([name, change]): [string, unknown] => [name, { ...MANIFEST, ...change }]),
  ])("%s", (_name, value) => {
    expect(() => parseManifest(value)).toThrow(
      expect.objectContaining({
        code: "corrupt",
        message: expect.stringMatching(/^the file is not a whole bundle: ✖ [^\n]+$/u),
      }),
    );
  });

  test.each<[string, Partial<Manifest>]>([
    ["two files have one path", { files: [MAIN, MAIN] }],
    ["two files have one path", { files: [MAIN, file("A/Main.jsonl")] }],
    ["a file lies below another file", { files: [MAIN, file("a/main.jsonl/below")] }],
    ["a file lies below another file", { files: [file("a/main.jsonl/b/c/d"), MAIN] }],
    ["a file lies below another file", { files: [MAIN, file("x/y"), file("x/y/z/w")] }],
    ["a file lies below another file", { files: [MAIN, file("A")] }],
    ["the file of the session is missing", { main: "a" }],
    ["the file of the session is missing", { main: "a/Main.jsonl" }],
    [
      "its files are larger than a bundle may be",
      { files: [file("a/main.jsonl", MAX_TOTAL_BYTES), file("b", 1)] },
    ],
  ])("because %s: %j", (why, change) => {
    expect(() => parseManifest({ ...MANIFEST, ...change })).toThrow(
      expect.objectContaining({ code: "corrupt", message: `the file is not a whole bundle: ${why}` }),
    );
  });
});

test("a bundle of a newer version is unsupported, whatever its other fields are", () => {
  expect(() => parseManifest({ continuoBundle: 2 })).toThrow(
    expect.objectContaining({
      code: "unsupported",
      message: "the bundle is of version 2, and this Continuo reads version 1",
      hint: "Install a newer version of Continuo.",
    }),
  );
});

test.each([
  "a",
  "a/b.jsonl",
  ".claude/projects/-home-dev/x.jsonl",
  "...",
  "a /..b/c..",
  "ä/日本",
  "n".repeat(MAX_NAME_BYTES),
  "é".repeat(127),
  pathOf(MAX_PATH_BYTES),
])("%j is the path of a file in a bundle", (path) => {
  expect(isSafePath(path)).toBe(true);
});

test.each([
  "",
  "/",
  "/a",
  "a/",
  "a//b",
  ".",
  "./a",
  "a/.",
  "..",
  "../a",
  "a/../b",
  "a/..",
  "a\\b",
  "C:a",
  "a/b:stream",
  "a\0",
  "a\ud800",
  "n".repeat(MAX_NAME_BYTES + 1),
  "é".repeat(128),
  `${pathOf(MAX_PATH_BYTES)}n`,
])("%j is no path of a file in a bundle", (path) => {
  expect(isSafePath(path)).toBe(false);
});

test("an error about a bundle has a cause only if there is one", () => {
  const cause = new Error("incorrect header check");
  expect(noBundle("it is no gzip", cause).cause).toBe(cause);
  expect("cause" in noBundle("it ends early")).toBe(false);
  expect(noBundle("it ends early").hint).toBe(
    "Create it again with `continuo session export ID --bundle FILE`.",
  );
});
