import { expect, test } from "vitest";
import { keyOf, keysOf } from "./keys.ts";

const ROW = { agent: "pi", sessionId: "1", location: "/a" };

test("a key is the agent and the id; a strange id is not part of it", () => {
  expect(keyOf(ROW)).toBe("pi:1");
  for (const sessionId of ["../x", "a/b", "", "x".repeat(201), "a>b"]) {
    expect(keyOf({ ...ROW, sessionId })).toMatch(/^pi:~[\w-]{16}$/u);
  }
  expect(keyOf({ ...ROW, sessionId: "a b" })).not.toBe(keyOf({ ...ROW, sessionId: "a b", location: "/b" }));
});

test("two files with one id have two keys, and the first keeps the plain one", () => {
  const rows = [ROW, { ...ROW, location: "/b" }, { ...ROW, agent: "codex" }];
  const keys = keysOf(rows);
  expect([...keys.values()]).toEqual(rows);
  expect([...keys.keys()]).toEqual(["pi:1", expect.stringMatching(/^pi:1~[\w-]{16}$/u), "codex:1"]);
});
