import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { firstDatabase } from "./opencode.ts";

let scratch: string;

beforeEach(() => {
  scratch = scratchFolder("witness");
});

/** Starts a program in place of opencode. */
async function start(lines: string): Promise<Buffer> {
  const program = join(scratch, "opencode");
  writeFileSync(program, `#!/bin/sh\n${lines}\n`);
  chmodSync(program, 0o700);
  const project = join(scratch, "project");
  mkdirSync(project);
  const searchPath = process.env.PATH ?? "";
  return await firstDatabase({ program: [program], searchPath, scratch, project, signal: undefined });
}

test("the first database of opencode is the one that it makes when it starts", async () => {
  const made = join(scratch, "made.db");
  const database = new DatabaseSync(made);
  database.exec("create table session (id text)");
  database.close();
  const bytes = await start(
    `mkdir -p "$XDG_DATA_HOME/opencode" && cp ${made} "$XDG_DATA_HOME/opencode/opencode.db"`,
  );
  expect(bytes.toString("latin1")).toMatch(/^SQLite format 3.*CREATE TABLE session/su);
});

test.each([
  ["no folder", "exit 0"],
  ["a folder without a database", 'mkdir -p "$XDG_DATA_HOME/opencode"'],
  ["an empty file", 'mkdir -p "$XDG_DATA_HOME/opencode" && : > "$XDG_DATA_HOME/opencode/opencode.db"'],
])("an opencode that makes %s is reported: it made no database", async (_, lines) => {
  await expect(start(lines)).rejects.toMatchObject({
    code: "verification_failed",
    message: expect.stringContaining("it made no database"),
  });
});
