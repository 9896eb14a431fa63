/** The ids by which editors name sessions. */

import { expect, test } from "vitest";
import { ownId, parseId } from "./ids.ts";

test("an id has its agent and the whole rest, and an id that was made here names a session of Continuo's", () => {
  expect(parseId("claude:4bf3")).toEqual({ agent: "claude", sessionId: "4bf3" });
  expect(parseId("my-agent2:a:b/c d")).toEqual({ agent: "my-agent2", sessionId: "a:b/c d" });
  expect(parseId(ownId("1"))).toEqual({ agent: "continuo", sessionId: "1" });
});

test.each([
  "last",
  "4bf3",
  ":4bf3",
  "claude:",
  "Claude:4bf3",
  "claude:a\u0007",
  `claude:${"a".repeat(513)}`,
  `${"a".repeat(41)}:1`,
])("%j is the id of no session", (id) => {
  expect(() => parseId(id)).toThrow(
    expect.objectContaining({ code: "not_found", details: { sessionId: id } }),
  );
});
