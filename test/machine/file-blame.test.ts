/** `GET /v1/machine/files`: the turns that wrote the lines of a file, without the text that no session wrote. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FileBlameAnswer } from "@continuo/core/wire/machine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claudeFile } from "../cli/home.ts";
import { type EditedHome, editedHome, FIRST_ID, LAST_ID, NOW } from "../search/edited-home.ts";
import { type OpenMachine, openMachine } from "./open-machine.ts";

let home: EditedHome;
let machine: OpenMachine;
beforeAll(async () => {
  home = editedHome();
  machine = await openMachine(home);
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
});

const pathOf = (path: string): string => `/v1/machine/files?path=${encodeURIComponent(path)}`;

test("a file that sessions changed has the turn of each line, with the key of its session", async () => {
  const blame = (await machine.json(pathOf(home.at("src/brew.ts")))) as FileBlameAnswer;
  expect(blame.lines.map(({ text }) => text)).toEqual([
    ...[null, "import { check } from './check.ts';", "", "export const SECONDS = {"],
    ...["  black: 240,", "  white: 300,", "  green: 150,", "};"],
  ]);
  const keys = blame.lines.map(({ origin }) => (origin === null ? null : blame.origins[origin]?.key));
  const [first, last] = [`claude:${FIRST_ID}`, `claude:${LAST_ID}`];
  expect(keys).toEqual([null, last, last, first, last, last, first, first]);
});

test("a secret that a session wrote into a file is masked", async () => {
  using own = editedHome();
  const secret = "ghp_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  const file = join(own.path, claudeFile(LAST_ID));
  writeFileSync(file, readFileSync(file, "utf8").replaceAll("white: 300", `white: '${secret}'`));
  own.edit("src/brew.ts", NOW.replace("white: 300", `white: '${secret}'`));
  await using other = await openMachine(own);
  const blame = (await other.json(pathOf(own.at("src/brew.ts")))) as FileBlameAnswer;
  const texts = blame.lines.map(({ text }) => text);
  expect(texts).toContain("  white: '[masked: GitHub token]',");
  expect(JSON.stringify(blame)).not.toContain(secret);
});

test("a file is not found if no session changed it, or if it is below no folder of a session", async () => {
  home.edit("notes.txt", "by hand\n");
  for (const path of [home.at("notes.txt"), "/etc/passwd", "src/brew.ts", home.at("src")]) {
    const response = await machine.get(pathOf(path));
    expect([path, response.status]).toEqual([path, 404]);
  }
});
