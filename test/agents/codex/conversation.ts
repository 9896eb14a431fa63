/** The prompts for the real Codex in its test, and the answers of the scripted model. */

import { join } from "node:path";
import { type Script, text, thinking, tool } from "../../model-servers/index.ts";
import { PICTURE } from "../picture.ts";

export const SAID = {
  compare: "Compare the two notes.",
  look: "What colour is this?",
  lookYourself: "And the one on the disk?",
  fork: "What would a third note say?",
  wrong: "Forget about the notes.",
  instead: "Something else: which note is longer?",
  after: "Where were we?",
  silent: "Think about it for a long time.",
} as const;

const PATCH = `*** Begin Patch
*** Update File: one.md
@@
-a note
+a better note
*** End Patch
`;

export function scriptFor(project: string): Script {
  const run = (cmd: string) => tool("exec_command", { cmd });
  return {
    summary: "Two notes were compared.",
    turns: [
      {
        user: SAID.compare,
        answers: [
          [thinking("Both, and a look around."), text("I read."), run("cat one.md"), run("cat missing.md")],
          [thinking("One is missing."), tool("apply_patch", PATCH)],
          [text("They differ in one word.")],
        ],
      },
      { user: SAID.look, answers: [[text("Green.")]] },
      {
        user: SAID.lookYourself,
        answers: [[tool("view_image", { path: join(project, "leaf.png") })], [text("Green as well.")]],
      },
      { user: SAID.fork, answers: [[text("Something in between.")]] },
      { user: SAID.wrong, answers: [[text("Forgotten.")]] },
      { user: SAID.instead, answers: [[thinking("By one word."), text("The second.")]] },
      { user: SAID.after, answers: [[text("At the notes.")]] },
      { user: SAID.silent, answers: [[text("A look first."), run("ls")], [{ type: "hang" }]] },
    ],
  };
}

export const FILES: readonly (readonly [string, string | Uint8Array])[] = [
  ["project/one.md", "a note\n"],
  ["project/leaf.png", Buffer.from(PICTURE, "base64")],
];
