/** The prompts for the real Gemini CLI in its test, and the answers of the scripted model. */

import { type Script, text, thinking, tool } from "../../model-servers/index.ts";
import { PICTURE } from "../picture.ts";

export const SAID = {
  compare: "Compare the two notes.",
  look: "What colour is @leaf.png?",
  lookYourself: "And the one on the disk?",
  delegate: "Have somebody count the words.",
  refused: "Tell me more.",
  many: "Say a lot.",
  more: "Say a lot more.",
  full: "And now the end of it.",
  after: "Where were we?",
  slow: "Start the slow check.",
  instead: "Leave it. What is a note?",
  lines: "What does it say?",
  again: "Once more?",
} as const;

const HELPERS_TASK = "Count the words in one.md.";
const WORDS = Array.from({ length: 150 }, (_, k) => `word${k}`).join(" ");

/** The text that replaces the conversation after a compaction; Continuo knows it by its `state_snapshot`. */
const SUMMARY = "<state_snapshot>\nMuch was said.\n</state_snapshot>";

export const SCRIPT: Script = {
  summary: SUMMARY,
  turns: [
    {
      user: SAID.compare,
      answers: [
        [
          thinking("Both, and a look around."),
          text("I read."),
          tool("read_file", { file_path: "one.md" }),
          tool("read_file", { file_path: "missing.md" }),
          tool("read_file", { file_path: "two.md" }),
        ],
        [text("They differ in one word.")],
      ],
    },
    { user: SAID.look, answers: [[text("Green.")]] },
    {
      user: SAID.lookYourself,
      answers: [[tool("read_file", { file_path: "leaf.png" })], [text("Green as well.")]],
    },
    {
      user: SAID.delegate,
      answers: [
        [tool("invoke_agent", { agent_name: "helper", prompt: HELPERS_TASK })],
        [text("The helper counted two words.")],
      ],
    },
    {
      user: HELPERS_TASK,
      answers: [
        [tool("read_file", { file_path: "one.md" })],
        [tool("complete_task", { result: "Two words." })],
      ],
    },
    { user: SAID.refused, answers: [[{ type: "error", status: 400, message: "not today" }]] },
    { user: SAID.many, answers: [[text(WORDS)]] },
    { user: SAID.more, answers: [[text(`More ${WORDS}`)]] },
    { user: SAID.full, answers: [[{ type: "usage", inputTokens: 900_000 }, text("That was all.")]] },
    { user: SAID.after, answers: [[text("At the end.")]] },
    {
      user: SAID.slow,
      answers: [[text("It takes a while."), tool("run_shell_command", { command: "sleep 30" })]],
    },
    // The text has a line separator, which JSON does not have to escape.
    { user: SAID.lines, answers: [[text("A note.\u2028Another note.")]] },
    { user: SAID.again, answers: [[text("The same.")]] },
    { user: SAID.instead, answers: [[thinking("A short text."), text("A short text.")]] },
  ],
};

export const FILES: readonly (readonly [string, string | Uint8Array])[] = [
  ["project/one.md", "a note\n"],
  ["project/two.md", "another note\n"],
  ["project/leaf.png", Buffer.from(PICTURE, "base64")],
];
