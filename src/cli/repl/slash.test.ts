import { expect, test } from "vitest";
import { completionsOf } from "./completer.ts";
import { type Line, parseLine, SLASH_COMMANDS } from "./slash.ts";

test.each<[string, Line]>([
  ["", { type: "nothing" }],
  ["  \n ", { type: "nothing" }],
  ["hello", { type: "say", text: "hello" }],
  ["/help", { type: "command", name: "help", argument: "" }],
  [" /Resume  4bf3 ", { type: "command", name: "resume", argument: "4bf3" }],
  ["/title two words", { type: "command", name: "title", argument: "two words" }],
  ["/exit", { type: "command", name: "quit", argument: "" }],
  ["//compact now", { type: "say", text: "/compact now" }],
  ["/usr/bin is a folder", { type: "say", text: "/usr/bin is a folder" }],
  ["/agen", { type: "unknown", name: "agen", text: "/agen", suggestion: "agent" }],
  ["/sess", { type: "unknown", name: "sess", text: "/sess", suggestion: null }],
  ["/Foo bar ", { type: "unknown", name: "foo", text: "/Foo bar", suggestion: null }],
])("%j means %j", (line, meaning) => {
  expect(parseLine(line)).toEqual(meaning);
});

test("every command is known by its name", () => {
  for (const { name } of SLASH_COMMANDS) {
    expect(parseLine(`/${name}`)).toEqual({ type: "command", name, argument: "" });
  }
});

const candidates = {
  commands: () => ["review", "resume"],
  agents: () => ["claude", "codex"],
  paths: async () => [],
  sessions: async (prefix: string) => ["4bf3aa", "4bf3bb", "99"].filter((id) => id.startsWith(prefix)),
};

test.each([
  ["/se", [["/sessions", "/session", "/search "], "/se"]],
  ["/re", [["/resume ", "/review "], "/re"]],
  ["/agent c", [["claude", "codex"], "c"]],
  ["/agent cl", [["claude"], "cl"]],
  ["/resume 4b", [["4bf3aa", "4bf3bb"], "4b"]],
  ["/mode s", [["safe"], "s"]],
  ["/title some", [[], "some"]],
  ["words", [[], "words"]],
])("Tab after %j offers %j", async (line, expected) => {
  expect(await completionsOf(line, candidates)).toEqual(expected);
});

test("! runs a typed line, !! sends it as text, and a line of a pipe runs nothing", () => {
  expect(parseLine("!ls -l", "typed")).toEqual({ type: "shell", command: "ls -l" });
  expect(parseLine("!!ls", "typed")).toEqual({ type: "say", text: "!ls" });
  expect(parseLine("!", "typed")).toEqual({ type: "say", text: "!" });
  expect(parseLine("!ls", "read")).toEqual({ type: "say", text: "!ls" });
});
