/** The summary of injected text: names of tags and headings before their words. */

import { expect, test } from "vitest";
import { injectedWords } from "./injected.ts";

const said = (...texts: readonly string[]) => ({
  content: texts.map((text) => ({ type: "text" as const, text })),
});

test.each([
  [
    "<environment_context>\n  <cwd>/home/dev/project</cwd>\n  <shell>bash</shell>\n</environment_context>",
    "Environment context: /home/dev/project bash",
  ],
  ["# AGENTS.md instructions for /app\n\nUse tabs.", "AGENTS.md instructions for /app"],
  ["<system-reminder>\nThe file changed.\n</system-reminder>", "System reminder: The file changed."],
  ['<skill name="brew">\n</skill>', "Skill"],
  ["Remember the tea.", "Remember the tea."],
  ["1 < 2 is no tag", "1 < 2 is no tag"],
])("%j has the summary %j", (text, hint) => expect(injectedWords([said(text)])).toBe(hint));

test("several parts have their names in order, each shortened, on one line of visible text", () => {
  const long = `<permissions instructions>${"Ask before you write. ".repeat(20)}</permissions instructions>`;
  const hint = injectedWords([said("<tools>\n</tools>", long), said("Go\u202e on\nnow")]);
  expect(hint).toMatch(/^Tools · Permissions instructions: Ask before you write\. .*… · Go/u);
  expect(hint).not.toMatch(/[\u202e\n]/u);
  expect(hint.length).toBeLessThan(160);
});
