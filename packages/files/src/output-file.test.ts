import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isContinuoError } from "@continuo/core/model";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import { type OutputFileOptions, openOutputFile } from "./output-file.ts";

let scratch: string;

beforeEach(() => {
  scratch = scratchFolder("output");
  mkdirSync(join(scratch, "agent"));
});

const at = (name: string): string => join(scratch, name);

/** The error's code, or the size. */
async function write(name: string, force = false, commit = true): Promise<string | number> {
  const options: OutputFileOptions = { force, forbidden: [at("agent")] };
  try {
    using output = await openOutputFile(at(name), options);
    output.write(Buffer.from("new"));
    return commit ? output.commit() : -1;
  } catch (error) {
    return isContinuoError(error) ? error.code : String(error);
  }
}

test("a new file is private, and whole when it has its name", async () => {
  expect(await write("a.md")).toBe(3);
  expect(readFileSync(at("a.md"), "utf8")).toBe("new");
  expect(statSync(at("a.md")).mode & 0o777).toBe(0o600);
  expect(readdirSync(scratch).sort()).toEqual(["a.md", "agent"]);
});

test("the name of an unfinished output cannot be guessed", async () => {
  const options = { force: false, forbidden: [] };
  const names: string[] = [];
  for (const _ of [1, 2]) {
    using _output = await openOutputFile(at("a.md"), options);
    names.push(...readdirSync(scratch).filter((name) => name.endsWith(".part")));
  }
  expect(names).toHaveLength(2);
  expect(names[0]).not.toBe(names[1]);
  for (const name of names) expect(name).toMatch(/^a\.md\.[0-9a-f]{16}\.part$/u);
});

test("an output that is not committed leaves no file", async () => {
  expect(await write("a.md", false, false)).toBe(-1);
  expect(readdirSync(scratch)).toEqual(["agent"]);
});

test("a file that is there is replaced only with force", async () => {
  writeFileSync(at("a.md"), "old");
  expect(await write("a.md")).toBe("conflict");
  expect(readFileSync(at("a.md"), "utf8")).toBe("old");
  expect(await write("a.md", true)).toBe(3);
  expect(readFileSync(at("a.md"), "utf8")).toBe("new");
});

test("a file that comes while the output is made is not replaced", async () => {
  using output = await openOutputFile(at("a.md"), { force: false, forbidden: [] });
  writeFileSync(at("a.md"), "faster");
  expect(() => output.commit()).toThrow("the file already exists");
  expect(readFileSync(at("a.md"), "utf8")).toBe("faster");
  expect(readdirSync(scratch).sort()).toEqual(["a.md", "agent"]);
});

test("a link stays a link, and its target is replaced only with force", async () => {
  writeFileSync(at("target.md"), "old");
  symlinkSync(at("target.md"), at("link.md"));
  expect(await write("link.md")).toBe("conflict");
  expect(readFileSync(at("target.md"), "utf8")).toBe("old");
  expect(await write("link.md", true)).toBe(3);
  expect(readFileSync(at("target.md"), "utf8")).toBe("new");
  expect(readdirSync(scratch).sort()).toEqual(["agent", "link.md", "target.md"]);
});

test("no way leads into a forbidden folder: no name, no link to a file, no link to the folder", async () => {
  writeFileSync(at("agent/session.jsonl"), "old");
  symlinkSync(at("agent/session.jsonl"), at("file"));
  symlinkSync(at("agent"), at("folder"));
  for (const name of ["agent/new", "agent/session.jsonl", "file", "folder/new", "folder/session.jsonl"]) {
    expect([name, await write(name, true)]).toEqual([name, "invalid"]);
  }
  expect(readFileSync(at("agent/session.jsonl"), "utf8")).toBe("old");
});

test("a link to nothing, a folder and a missing folder cannot be written", async () => {
  symlinkSync(at("nothing"), at("link"));
  expect(await write("link")).toBe("conflict");
  expect(await write("link", true)).toBe(3);
  expect(readFileSync(at("link"), "utf8")).toBe("new");
  expect(await write("agent", true)).toBe("unwritable");
  expect(await write("no/such.md")).toBe("unwritable");
});

test("a pipe is written through", async () => {
  execFileSync("mkfifo", [at("pipe")]);
  const read = readFile(at("pipe"), "utf8");
  expect(await write("pipe")).toBe(3);
  expect(await read).toBe("new");
  expect(statSync(at("pipe")).isFIFO()).toBe(true);
});

test("a process that waits for somebody to read a pipe can end", () => {
  execFileSync("mkfifo", [at("pipe")]);
  const waiting = `
    import { openOutputFile } from ${JSON.stringify(new URL("./output-file.ts", import.meta.url).href)};
    void openOutputFile(${JSON.stringify(at("pipe"))}, { force: false, forbidden: [] });
    setImmediate(() => process.exit(7));`;
  const { status } = spawnSync(process.execPath, ["--input-type=module", "--eval", waiting], {
    timeout: 60_000,
    killSignal: "SIGKILL",
  });
  expect(status).toBe(7);
});

test("a link to itself, a file as a folder and a name that is too long cannot be written", async () => {
  symlinkSync("loop", at("loop"));
  writeFileSync(at("file"), "old");
  for (const name of ["loop", "file/new", "n".repeat(300)]) {
    expect([name, await write(name), await write(name, true)]).toEqual([name, "unwritable", "unwritable"]);
  }
  expect(readFileSync(at("file"), "utf8")).toBe("old");
});
