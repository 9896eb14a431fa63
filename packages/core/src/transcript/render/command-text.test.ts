import { expect, test } from "vitest";
import { spokenText } from "./command-text.ts";
import { toParts } from "./parts.ts";

test.each<readonly [string, string, string]>([
  [
    "a slash command of Claude Code",
    "<command-name>/compact</command-name>\n            <command-message>compact</command-message>\n            <command-args>keep it short</command-args>",
    "/compact keep it short",
  ],
  [
    "its tags in another order",
    "<command-message>init is at work</command-message>\n<command-name>/init</command-name>",
    "/init",
  ],
  ["the output of such a command", "<local-command-stdout>Compacted\n</local-command-stdout>", "Compacted"],
  ["a command of the shell", "<bash-input>git status</bash-input>", "! git status"],
  [
    "the output of a command of the shell",
    "<bash-stdout>on main</bash-stdout><bash-stderr>warning</bash-stderr>",
    "on main\nwarning",
  ],
  [
    "a command of the shell in Codex",
    "<user_shell_command>\n<command>\nls\n</command>\n<result>\nExit code: 0\nOutput:\na.ts\n</result>\n</user_shell_command>",
    "! ls\nExit code: 0\nOutput:\na.ts",
  ],
  ...[
    ...["local-command-stderr", "local-command-caveat", "bash-stderr", "user-memory-input"],
    ...["command-message", "command-args", "command-contents", "skill-format"],
  ].map((tag) => [`the tag ${tag}`, ` <${tag}>\na\n</${tag}>\n`, "a"] as const),
  ["empty outputs", "<bash-stdout></bash-stdout><bash-stderr>a</bash-stderr>", "a"],
  ["arguments of white space", "<command-name> /a </command-name><command-args> </command-args>", "/a"],
  [
    "a command of the shell that printed nothing",
    "<user_shell_command><command>ls</command><result> </result></user_shell_command>",
    "! ls",
  ],
  ["a slash command of Gemini CLI, as it was typed", "/compress", "/compress"],
])("%s is shown as a person reads it", (_, text, spoken) => {
  expect(spokenText(text)).toBe(spoken);
});

test.each([
  "<command-name>/a</command-name> and more words",
  "words <command-name>/a</command-name>",
  "<command-name>/a",
  "<div>x</div>",
  " ",
  "<user_shell_command><result>x</result></user_shell_command>",
  "<user_shell_command><command>x</command> y</user_shell_command>",
  "<user_shell_command>x</user_shell_command>",
  "<user_shell_command><command>x</command></user_shell_command><bash-input>y</bash-input>",
  "<bash-input>".repeat(50_000),
  "",
])("any other text stays as it is: %.40j", (text) => {
  expect(spokenText(text)).toBe(text);
});

test("only messages of a person are shown in this way", () => {
  const content = [{ type: "text" as const, text: "<bash-input>ls</bash-input>" }];
  const said = (role: "user" | "assistant") => toParts({ id: "m", role, content, metadata: {} });
  expect([said("user"), said("assistant")]).toEqual([
    [{ type: "text", text: "! ls" }],
    [{ type: "text", text: "<bash-input>ls</bash-input>" }],
  ]);
});
