import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { filesSince, type NamedFile, sinceText } from "./file-changes.ts";

let scratch: string;
let folder: string;
beforeEach(() => {
  scratch = scratchFolder("since");
  folder = join(scratch, "project");
  mkdirSync(folder);
});

const AT = "2026-05-01T10:00:00.000Z";
const named = (path: string, isChanged = false): NamedFile => ({ path, at: AT, isChanged });

function write(path: string, minutesLater: number): void {
  writeFileSync(path, "text");
  const seconds = Date.parse(AT) / 1000 + minutesLater * 60;
  utimesSync(path, seconds, seconds);
}

test("a file of the folder has changed since then, is the same, or is gone", async () => {
  write(join(folder, "new.ts"), 10);
  write(join(folder, "old.ts"), -10);
  // The call that wrote it was recorded before it wrote.
  write(join(folder, "own.ts"), 0.5);
  const files = [
    ...[named("new.ts"), named(join(folder, "old.ts")), named("own.ts")],
    ...[named("gone.ts", true), named("never.ts")],
  ];
  expect([...(await filesSince(files, folder))]).toEqual([
    ["new.ts", "changed"],
    [join(folder, "old.ts"), "same"],
    ["own.ts", "same"],
    ["gone.ts", "gone"],
  ]);
});

test("a file outside of the folder is not examined, whatever path names it", async () => {
  write(join(scratch, "secret"), 10);
  const files = [
    named("../secret"),
    named("../none", true),
    named(join(scratch, "secret")),
    named("."),
    named("a/../../secret"),
  ];
  expect([...(await filesSince(files, folder))]).toEqual([]);
  expect([...(await filesSince([named("secret")], null))]).toEqual([]);
  symlinkSync(join(scratch, "secret"), join(folder, "link"));
  expect([...(await filesSince([named("link")], folder))]).toEqual([]);
});

test("files are examined also if the folder itself is reached over a link", async () => {
  write(join(folder, "new.ts"), 10);
  const link = join(scratch, "link");
  symlinkSync(folder, link);
  const files = [named("new.ts", true), named(join(link, "new.ts"))];
  expect([...(await filesSince(files, link))]).toEqual(files.map(({ path }) => [path, "changed"]));
});

test("the sentence counts changed and deleted files, and is empty if there are none", () => {
  expect(sinceText(["same", "changed", "changed", "changed", "gone"])).toBe(
    "4 files changed since then; 1 of them is gone.",
  );
  expect(sinceText(["changed"])).toBe("1 file changed since then.");
  expect(sinceText(["same"])).toBe("");
});

test("a folder whose path is not from the root, and a file without a time, tell nothing", async () => {
  write(join(folder, "new.ts"), 10);
  // The tests run in a folder that has this file.
  expect([...(await filesSince([{ ...named("scratch-folder.ts"), at: AT }], "test"))]).toEqual([]);
  expect([...(await filesSince([{ ...named("new.ts", true), at: null }], folder))]).toEqual([]);
});

test("of a session that names many files, a limited number is examined", async () => {
  const files = Array.from({ length: 250 }, (_, at) => named(`gone-${at}.ts`, true));
  expect((await filesSince(files, folder)).size).toBe(200);
});
