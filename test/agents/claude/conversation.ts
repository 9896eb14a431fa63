/** The prompts for the real Claude Code in its test, and the answers of the scripted model. */

import { join } from "node:path";
import { type Script, text, thinking, tool } from "../../model-servers/index.ts";
import { PICTURE } from "../picture.ts";
import type { ClaudePrompt } from "./driver.ts";

export const SAID = {
  compare: "Compare the two notes.",
  look: "What colour is this?",
  lookYourself: "And the one on the disk?",
  instead: "Something else: which note is longer?",
  fork: "What would a third note say?",
  delegate: "Have somebody count the words.",
  run: "Run the check.",
  meanwhile: "Keep it short.",
  compact: "/compact",
  after: "Where were we?",
  refused: "Tell me more.",
  long: "Start the long check.",
} as const;

export const WITH_PICTURE: ClaudePrompt = [
  { type: "text", text: SAID.look },
  { type: "image", source: { type: "base64", media_type: "image/png", data: PICTURE } },
];

/** The check ends when this file appears, so that a test decides how long it takes. */
export const CHECK_DONE = "done";

const HELPERS_TASK = "Count the words in one.md.";

export function scriptFor(project: string): Script {
  const read = (name: string) => tool("Read", { file_path: join(project, name) });
  const bash = (command: string) => tool("Bash", { command, description: "A command of the test" });
  return {
    summary: "Two notes were compared; a helper counted the words.",
    turns: [
      {
        user: SAID.compare,
        answers: [
          [
            thinking("Both, and a look around."),
            text("I read."),
            read("one.md"),
            read("missing.md"),
            bash("ls"),
          ],
          [{ type: "redacted" }, text("One is missing."), read("two.md")],
          [text("They differ in one word.")],
        ],
      },
      { user: SAID.look, answers: [[text("Green.")]] },
      { user: SAID.lookYourself, answers: [[read("leaf.png")], [text("Green as well.")]] },
      { user: SAID.instead, answers: [[thinking("By one word."), text("The second.")]] },
      { user: SAID.fork, answers: [[text("Something in between.")]] },
      {
        user: SAID.delegate,
        answers: [
          [tool("Agent", { description: "Count", prompt: HELPERS_TASK, subagent_type: "general-purpose" })],
          [text("The helper is at work.")],
          [text("The helper counted two words.")],
        ],
      },
      { user: HELPERS_TASK, answers: [[bash("wc -w one.md")], [text("Two words.")]] },
      {
        user: SAID.run,
        answers: [[bash(`until test -e ${CHECK_DONE}; do sleep 0.1; done`)], [text("Passed.")]],
      },
      { user: SAID.after, answers: [[text("At the notes.")]] },
      { user: SAID.refused, answers: [[{ type: "error", status: 403, message: "not today" }]] },
      { user: SAID.long, answers: [[text("It takes a while."), bash("sleep 600")]] },
    ],
  };
}

export const FILES: readonly (readonly [string, string | Uint8Array])[] = [
  ["project/one.md", "a note\n"],
  ["project/two.md", "another note\n"],
  ["project/leaf.png", Buffer.from(PICTURE, "base64")],
];
