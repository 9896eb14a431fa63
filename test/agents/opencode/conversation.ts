/** The prompts for the real opencode in its test, and the answers of the scripted model. */

import { join } from "node:path";
import { type JsonObject, type Script, text, thinking, tool } from "../../model-servers/index.ts";
import { PICTURE } from "../picture.ts";

export const SAID = {
  compare: "Compare the two notes.",
  look: "What colour is this?",
  lookYourself: "And the one on the disk?",
  count: "Have somebody count the notes.",
  fork: "What would a third note say?",
  wrong: "Forget about the notes.",
  wronger: "Forget them all.",
  instead: "Something else: which note is longer?",
  after: "Where were we?",
  refused: "Say something impossible.",
  silent: "Think about it for a long time.",
  slow: "Wait for the kettle.",
  again: "Read the first note again.",
  otherModel: "What do you think?",
} as const;

/** The prompt that the model gives to a sub-agent. */
export const COUNT = "Count the notes in this folder.";

export function scriptFor(project: string): Script {
  const read = (name: string) => tool("read", { filePath: join(project, name) });
  const sleep = (seconds: number) => tool("bash", { command: `sleep ${seconds}`, description: "Waits" });
  return {
    summary: "Two notes were compared.",
    title: "Two notes",
    turns: [
      {
        user: SAID.compare,
        answers: [
          [thinking("Both, and a look around."), text("I read."), read("one.md"), read("missing.md")],
          [text("One is missing.")],
        ],
      },
      { user: SAID.look, answers: [[text("Green.")]] },
      { user: SAID.lookYourself, answers: [[read("leaf.png")], [text("Green as well.")]] },
      {
        user: SAID.count,
        answers: [
          [tool("task", { description: "Count notes", prompt: COUNT, subagent_type: "general" })],
          [text("There is one.")],
        ],
      },
      { user: COUNT, answers: [[read("one.md")], [text("One.")]] },
      { user: SAID.fork, answers: [[text("Something in between.")]] },
      { user: SAID.wronger, answers: [[text("All forgotten.")]] },
      { user: SAID.wrong, answers: [[text("I look once more."), read("one.md")], [text("Forgotten.")]] },
      { user: SAID.instead, answers: [[thinking("By one word."), text("The second.")]] },
      { user: SAID.after, answers: [[text("At the notes.")]] },
      { user: SAID.refused, answers: [[{ type: "error", status: 400, message: "The kettle is cold." }]] },
      { user: SAID.silent, answers: [[text("A look first."), read("one.md")], [{ type: "hang" }]] },
      { user: SAID.slow, answers: [[text("It boils."), sleep(60)], [text("Done.")]] },
      // The answer has no text next to the thinking, because the adapter of another vendor would join the two.
      { user: SAID.again, answers: [[thinking("It is short."), read("one.md")], [text("A note.")]] },
      { user: SAID.otherModel, answers: [[thinking("A word."), text("Not much.")]] },
    ],
  };
}

export const FILES: readonly (readonly [string, string | Uint8Array])[] = [
  ["project/one.md", "a note\n"],
  ["project/leaf.png", Buffer.from(PICTURE, "base64")],
];

export const PICTURE_PART: JsonObject = {
  type: "file",
  mime: "image/png",
  filename: "leaf.png",
  url: `data:image/png;base64,${PICTURE}`,
};
