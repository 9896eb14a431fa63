import type { Json } from "@continuo/files";
import { expect, test } from "vitest";
import { toPermissionAnswer, toPermissionRequest } from "./permission.ts";

const addRules = (ruleContent: string, destination: string): Json => ({
  type: "addRules",
  rules: [{ toolName: "Bash", ruleContent }],
  behavior: "allow",
  destination,
});
const setMode: Json = { type: "setMode", mode: "acceptEdits", destination: "session" };

const asked: Json = {
  subtype: "can_use_tool",
  tool_name: "Bash",
  input: { command: "npm test" },
  permission_suggestions: [
    addRules("npm test:*", "localSettings"),
    setMode,
    { type: "removeRules", rules: [], behavior: "deny", destination: "session" },
    "rubbish",
  ],
};

test("each suggestion of Claude Code is an option with its rule and scope, narrower ones first", () => {
  const { options } = toPermissionRequest("1", asked);
  expect(options.map(({ name, kind }) => [name, kind])).toEqual([
    ["Allow", "allow_once"],
    ["Bash(npm test), in this session", "allow_always"],
    ["Bash(npm test:*), in this session", "allow_always"],
    ["Bash(npm test:*), always in this project (.claude/settings.local.json)", "allow_always"],
    ["mode acceptEdits (edits files without asking), in this session", "allow_always"],
    ["Deny", "reject_once"],
  ]);
});

test.each([
  ["allow", undefined],
  ["allow-always-1", addRules("npm test", "session")],
  ["allow-always-2", addRules("npm test:*", "session")],
  ["allow-always-3", addRules("npm test:*", "localSettings")],
  ["allow-always-4", setMode],
])("the option %s grants what it says and nothing else", (optionId, update) => {
  const request = toPermissionRequest("1", asked);
  const answer = toPermissionAnswer(asked, request, { outcome: "granted", by: "person", optionId });
  expect(answer).toEqual({
    behavior: "allow",
    updatedInput: asked.input,
    ...(update === undefined ? {} : { updatedPermissions: [update] }),
  });
});

test("a command that no rule can name exactly is not offered as a rule", () => {
  for (const command of ["a\nb", "echo $(x)", "rm *", "x".repeat(300)]) {
    const { options } = toPermissionRequest("1", { ...asked, input: { command } });
    expect(options.map(({ name }) => name).filter((name) => name.includes(command))).toEqual([]);
  }
});

test("a denial is sent with its reason", () => {
  const request = toPermissionRequest("1", asked);
  const decision = { outcome: "denied", by: "person", reason: "use make" } as const;
  expect(toPermissionAnswer(asked, request, decision)).toEqual({ behavior: "deny", message: "use make" });
});

test("if Claude Code does not read the project's rules, no such option is offered, and the other options grant the same", () => {
  const request = toPermissionRequest("1", asked, "without the project's");
  expect(request.options.map(({ name }) => name)).toEqual([
    "Allow",
    "Bash(npm test), in this session",
    "Bash(npm test:*), in this session",
    "mode acceptEdits (edits files without asking), in this session",
    "Deny",
  ]);
  const [, , , mode] = request.options;
  const decision = { outcome: "granted", by: "person", optionId: mode?.id ?? "" } as const;
  expect(toPermissionAnswer(asked, request, decision)).toMatchObject({ updatedPermissions: [setMode] });
});
