/**
 * The creation of a work tree is cut off: the next attempt removes its incomplete state, and keeps a person's later
 * changes.
 */

import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  applyWorkTree,
  openRepository,
  packWorkTree,
  readWorkTree,
} from "@continuo/agents/handoff/work-tree";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { changeTree, shownIn } from "./machines.ts";
import { type Git, gitIn, makeOrigin } from "./tree-shapes.ts";

let root: string;
let here: Git;
let there: Git;
let packed: string;
let note: string;

const around = () => ({ places: { home: root, env: { PATH: process.env.PATH } } });

async function open(git: Git) {
  const repository = await openRepository(git.folder, around());
  if (repository === null) throw new Error(`${git.folder} is no repository`);
  return repository;
}

beforeEach(async () => {
  root = scratchFolder("cut-off");
  makeOrigin(join(root, "origin"), {});
  const git = gitIn(root);
  for (const name of ["here", "there"]) git("clone", "--quiet", "origin", name);
  [here, there] = [gitIn(join(root, "here")), gitIn(join(root, "there"))];
  changeTree(here);
  here.write("README.md", "# Changed\n");
  packed = join(root, "packed");
  await packWorkTree(await readWorkTree(await open(here), around()), packed);
  note = join(there.folder, ".git/continuo-move.json");
});

/** The contents end early, and the rollback is stopped too, so the note stays, as after a kill. */
async function cutOff(): Promise<void> {
  const contents = join(packed, "contents");
  copyFileSync(contents, join(root, "whole"));
  writeFileSync(contents, readFileSync(contents).subarray(0, -4));
  const repository = await open(there);
  const stopped = {
    ...repository,
    run: async (...call: Parameters<typeof repository.run>) => {
      if (call[0].includes("--reset")) throw new Error("killed");
      return await repository.run(...call);
    },
  };
  await expect(applyWorkTree(stopped, packed, around())).rejects.toThrow("killed");
  copyFileSync(join(root, "whole"), contents);
}

test("the next attempt rolls the incomplete state back, and creates the whole work tree", async () => {
  await cutOff();
  expect(existsSync(note)).toBe(true);
  expect((await applyWorkTree(await open(there), packed, around())).outcome).toBe("applied");
  expect(shownIn(there)).toEqual(shownIn(here));
  expect(existsSync(note)).toBe(false);
});

test("a file that a person changed since then is kept, and the attempt is refused", async () => {
  await cutOff();
  there.write("src/timer.ts", "export const mine = 1;\n");
  await expect(applyWorkTree(await open(there), packed, around())).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("src/timer.ts was changed after a move into the clone was cut off"),
  });
  expect(readFileSync(join(there.folder, "src/timer.ts"), "utf8")).toBe("export const mine = 1;\n");
  there("checkout", "--quiet", "src/timer.ts");
  expect((await applyWorkTree(await open(there), packed, around())).outcome).toBe("applied");
});

test.each(["", "{", "null", '{"created":[],"files":[]}', '{"created":["../../.bashrc"]}'])(
  "a damaged note (%j) is an error that names it, and the clone does not change",
  async (text) => {
    await cutOff();
    const kept = readFileSync(note, "utf8");
    writeFileSync(note, text === "" ? kept.slice(0, -20) : text);
    const before = shownIn(there);
    await expect(applyWorkTree(await open(there), packed, around())).rejects.toMatchObject({
      code: "corrupt",
      message: expect.stringContaining("continuo-move.json"),
    });
    expect(shownIn(there)).toEqual(before);
    writeFileSync(note, kept);
    expect((await applyWorkTree(await open(there), packed, around())).outcome).toBe("applied");
  },
);
