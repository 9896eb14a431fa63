import { expect, test } from "vitest";
import { commentText } from "./line-comment.tsx";

test("a comment has its place, the present text of the line, and its words", () => {
  const line = { sign: "+", text: "const a = 1;  ", before: null, after: 3 } as const;
  expect(commentText("src/a.ts", line, " Why one?\n")).toBe("src/a.ts:3\n> const a = 1;\nWhy one?\n");
  const removed = { sign: "-", text: "b", before: 2, after: null } as const;
  expect(commentText("a", removed, "Keep it.")).toBe("a:2 (removed)\n> b\nKeep it.\n");
  const unknown = { sign: " ", text: "c", before: null, after: null } as const;
  expect(commentText("a", unknown, "Why?")).toBe("a\n> c\nWhy?\n");
});
