/** `GET /v1/machine/files`: who wrote a file, without the words that no session wrote. */

import type { FileBlameAnswer } from "@continuo/core/wire/machine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EditedHome, editedHome, FIRST_ID, LAST_ID } from "../search/edited-home.ts";
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

test("a file is not found if no session changed it, or if it is below no folder of a session", async () => {
  home.edit("notes.txt", "by hand\n");
  for (const path of [home.at("notes.txt"), "/etc/passwd", "src/brew.ts", home.at("src")]) {
    const response = await machine.get(pathOf(path));
    expect([path, response.status]).toEqual([path, 404]);
  }
});
