/** Two clones of one origin, and the transfer of a work tree's changes from one to the other. */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  applyWorkTree,
  openRepository,
  packWorkTree,
  type Repository,
  readWorkTree,
} from "@continuo/agents/handoff/work-tree";
import { expect } from "vitest";
import { type Git, gitIn, makeOrigin, type Shape } from "./tree-shapes.ts";

export interface ClonePlaces {
  readonly home: string;
  readonly env: { readonly PATH: string | undefined };
}

/** @param home the folder of the clones */
export function placesIn(home: string): ClonePlaces {
  return { home, env: { PATH: process.env.PATH } };
}

export async function open(folder: string): Promise<Repository> {
  const repository = await openRepository(folder, { places: placesIn(dirname(folder)) });
  if (repository === null) throw new Error(`${folder} is in no repository`);
  return repository;
}

export function makeClones(
  root: string,
  shape: Partial<Shape> = {},
): { readonly here: Git; readonly there: Git } {
  makeOrigin(join(root, "origin"), shape);
  const git = gitIn(root);
  git("clone", "--quiet", "origin", "here");
  git("clone", "--quiet", "origin", "there");
  const [here, there] = [gitIn(join(root, "here")), gitIn(join(root, "there"))];
  shape.there?.(there);
  return { here, there };
}

/** Returns everything that a person sees of the changes. */
export function shown(git: Git): readonly string[] {
  return [
    git("status", "--porcelain=v2", "-z", "--untracked-files=all"),
    git("diff", "--binary", "--submodule=diff"),
    git("diff", "--binary", "--cached"),
    git("rev-parse", "HEAD"),
    git("rev-parse", "--abbrev-ref", "HEAD"),
    git("ls-files", "--stage", "-z"),
  ];
}

let attempt = 0;

export async function pack(git: Git, known?: readonly string[]): Promise<string> {
  const root = dirname(git.folder);
  const read = await readWorkTree(await open(git.folder), { places: placesIn(root) });
  attempt += 1;
  const folder = join(root, `packed-${attempt}`);
  await packWorkTree(read, folder, { known });
  return folder;
}

export async function apply(git: Git, packed: string): ReturnType<typeof applyWorkTree> {
  return await applyWorkTree(await open(git.folder), packed, { places: placesIn(dirname(git.folder)) });
}

/** Returns the names of all files in the folder, without those of git itself. */
export function filesOf(git: Git): readonly string[] {
  return git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    .split("\0")
    .filter(Boolean)
    .toSorted();
}

/** Moves the changes of a shape from one clone to the other, twice, and compares the output of git for both. */
export async function expectSameChanges(root: string, shape: Shape): Promise<void> {
  const { here, there } = makeClones(root, shape);
  shape.change(here);
  const before = shown(here);
  const objects = here("count-objects", "-v");
  const packed = await pack(here);
  expect(shown(here)).toEqual(before);
  expect(here("count-objects", "-v")).toBe(objects);
  expect((await apply(there, packed)).outcome).toBe(shape.name === "no change" ? "there" : "applied");
  expect(shown(there)).toEqual(before);
  expect(filesOf(there)).toEqual(filesOf(here));
  expect(existsSync(join(there.folder, ".git/continuo-move.json"))).toBe(false);
  expect((await apply(there, packed)).outcome).toBe("there");
}
