import type { Leaf } from "@continuo/core/model";
import { expect, test } from "vitest";
import { type BranchPath, toBranches } from "./branches.ts";

/** A branch whose messages have these letters as ids; a capital letter begins a turn. */
function path(letters: string): BranchPath {
  const ids = [...letters];
  const leaf: Leaf = {
    id: ids.at(-1) ?? "",
    active: false,
    updatedAt: null,
    messages: ids.length,
    label: null,
  };
  const turns = ids.map((_, at) => ids.slice(0, at + 1).filter((id) => id < "a").length);
  return { leaf, ids, turns };
}

test("each branch begins at that earlier branch with which it shares the greatest number of messages", () => {
  const branches = toBranches(["AbCdE", "AbCdf", "AbGh", "AbGi", "Jk", "AbC"].map(path));
  expect(branches.map(({ id, parent, shared, first }) => [id, parent, shared, first])).toEqual([
    ["E", null, 0, { messageId: "A", turn: 1 }],
    ["f", "E", 4, { messageId: "f", turn: 2 }],
    ["h", "E", 2, { messageId: "G", turn: 2 }],
    ["i", "h", 3, { messageId: "i", turn: 2 }],
    ["k", null, 0, { messageId: "J", turn: 1 }],
    ["C", "E", 3, null],
  ]);
});
