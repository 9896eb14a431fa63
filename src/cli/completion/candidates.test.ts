import { expect, test } from "vitest";
import { createProgram } from "../index.ts";
import { SESSION_COMMANDS } from "../session/index.ts";
import { wantedFor } from "./candidates.ts";

function wanted(...words: readonly string[]) {
  const result = wantedFor(createProgram(null), words, SESSION_COMMANDS);
  return result.type === "words" ? result.candidates.map(({ value }) => value) : result;
}

test.each([
  [["ses"], ["session"]],
  [
    ["session", "re"],
    ["rename", "repair", "restore"],
  ],
  [["exp"], ["export"]],
  [
    ["session", "export", "--format", ""],
    ["md", "html", "json", "jsonl", "openai", "anthropic", "sharegpt"],
  ],
  [
    ["export", "--format", "j"],
    ["json", "jsonl"],
  ],
  [
    ["session", "list", "--agent", "c"],
    ["claude", "codex", "copilot", "continuo"],
  ],
  [["session", "list", "--since", "to"], ["today"]],
  [["chat", "--resume", "4b"], { type: "sessions", prefix: "4b" }],
  [["repl", "--permissions", "s"], ["safe"]],
  [["session", "list", "--cwd", "x"], { type: "folders" }],
  [["session", "export", "a", "--output", ""], { type: "files" }],
  [["session", "list", "--limit", ""], []],
  [["session", "list", "--li"], ["--limit"]],
  [
    ["session", "list", "c"],
    ["claude", "codex", "copilot"],
  ],
  [["session", "show", ""], { type: "sessions", prefix: "" }],
  [["show", "--tools", "full", "4b"], { type: "sessions", prefix: "4b" }],
  [["session", "show", "./a"], { type: "files" }],
  [["trust", "x"], { type: "folders" }],
  [["agents", ""], ["doctor"]],
  [
    ["agents", "doctor", "c"],
    ["claude", "codex", "copilot"],
  ],
  [["trust", "--l"], ["--list"]],
  [["session", "show", "a/b"], { type: "files" }],
  [["session", "show", "a", ""], []],
  [["session", "delete", "a", "b", "c"], { type: "sessions", prefix: "c" }],
  [["session", "delete", "--", "-c"], { type: "sessions", prefix: "-c" }],
  [["session", "restore", ""], { type: "trashed", prefix: "" }],
  [
    ["completion", ""],
    ["bash", "zsh", "fish"],
  ],
  [["nothing", "known", ""], expect.anything()],
])("%j", (words, expected) => expect(wanted(...words)).toEqual(expected));

test("no hidden command is offered, and every other command is", () => {
  const names = wanted("");
  expect(names).toEqual(expect.arrayContaining(["session", "completion", ...SESSION_COMMANDS]));
  expect(names).not.toContain("complete-words");
  expect(wanted("session", "")).toEqual([...SESSION_COMMANDS]);
});
