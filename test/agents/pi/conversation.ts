/** The prompts for pi in its proof, and the answers of the scripted model. */

import { type Script, text, thinking, tool } from "../../model-servers/index.ts";

export const SAID = {
  compare: "Compare the two notes.",
  look: "What does this picture show?",
  lookYourself: "Look at the one in the project.",
  more: "Tell me more.",
  instead: "Something else instead.",
  after: "What did we say so far?",
  refused: "This one is refused.",
  silent: "This one is never answered.",
  long: "Run the long check.",
} as const;

export const FILES: readonly (readonly [string, string])[] = [
  ["project/one.txt", "The first note.\n"],
  ["project/two.txt", "The second note.\n"],
];

export const SUMMARY = "Two notes were compared.";

export const SCRIPT: Script = {
  summary: SUMMARY,
  turns: [
    {
      user: SAID.compare,
      answers: [
        [
          thinking("I need both notes."),
          text("I read both."),
          tool("read", { path: "one.txt" }),
          tool("read", { path: "two.txt" }),
          tool("read", { path: "three.txt" }),
        ],
        [tool("bash", { command: "echo failed >&2; exit 3" })],
        [thinking("They differ in one word."), text("One says first, the other second.")],
      ],
    },
    { user: SAID.look, answers: [[text("A green square.")]] },
    { user: SAID.lookYourself, answers: [[tool("read", { path: "leaf.png" })], [text("The same square.")]] },
    { user: SAID.more, answers: [[text("There is more to say about the notes than fits here.")]] },
    { user: SAID.instead, answers: [[text("Something else, then.")]] },
    { user: SAID.after, answers: [[text("We compared two notes.")]] },
    { user: SAID.refused, answers: [[{ type: "error", status: 400, message: "Not today." }]] },
    { user: SAID.silent, answers: [[tool("read", { path: "one.txt" })], [{ type: "hang" }]] },
    { user: SAID.long, answers: [[thinking("It takes a while."), tool("bash", { command: "sleep 60" })]] },
  ],
};
