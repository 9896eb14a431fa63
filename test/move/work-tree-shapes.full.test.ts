/**
 * The shapes of work trees that the quick size leaves out: `git status` and `git diff` print the same in the other
 * clone. Each shape starts git about 30 times.
 */

import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { QUICK_SHAPES, SHAPES } from "./tree-shapes.ts";
import { expectSameChanges } from "./work-trees.ts";

let root: string;

beforeEach(() => {
  root = scratchFolder("work-tree-shapes");
});

const others = SHAPES.filter((shape) => !QUICK_SHAPES.includes(shape));

test.each(others.map((shape) => [shape.name, shape] as const))(
  "%s: status and diff are the same in the other clone",
  async (_name, shape) => await expectSameChanges(root, shape),
);

test("every shape is in one of the two sizes", () => {
  expect(others.length + QUICK_SHAPES.length).toBe(SHAPES.length);
  expect(QUICK_SHAPES.length).toBe(4);
});
