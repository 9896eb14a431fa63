/** The recorded conversations with Claude Code: what was said, and what each case shows. */

import { join } from "node:path";
import { PICTURE } from "../../test/agents/picture.ts";
import { text, thinking, tool } from "../../test/model-servers/index.ts";
import type { NativeCase } from "./case.ts";
import { type ClaudeCase, SESSION, withClaude } from "./claude-stage.ts";
import { CLAUDE_STATES } from "./claude-states.ts";

const FORK = "8d9e6a7b-1c2d-4e3f-8a4b-5c6d7e8f9a0b";

const CASES: readonly ClaudeCase[] = [
  {
    name: "text-and-thinking",
    shows: "Two turns with thinking: one signed, one hidden by the vendor (`redacted_thinking`).",
    made: "`claude -p`, then `claude -p --resume`",
    script: {
      turns: [
        {
          user: "How long should green tea steep?",
          answers: [[thinking("Green tea turns bitter early."), text("Two minutes, at 80 degrees.")]],
        },
        {
          user: "And black tea?",
          answers: [[{ type: "redacted" }, text("Four minutes, in boiling water.")]],
        },
      ],
    },
    async hold({ claude }) {
      await claude.say(["How long should green tea steep?"], { sessionId: SESSION });
      await claude.say(["And black tea?"], { resume: SESSION });
    },
  },
  {
    name: "parallel-tools",
    shows:
      "Three calls in one answer, their results in the order in which they finished, one of them an error.",
    made: "`claude -p` with the tools Read and Bash",
    script: {
      turns: [
        {
          user: "Compare the timer with its test, please.",
          answers: [
            [
              thinking("I need both files and the list of what else is there."),
              text("I read both and look around."),
              tool("Read", { file_path: "PROJECT/timer.js" }),
              tool("Read", { file_path: "PROJECT/timer.spec.js" }),
              tool("Bash", { command: "ls", description: "List the files" }),
            ],
            [
              text("The test is called `timer.test.js`."),
              tool("Read", { file_path: "PROJECT/timer.test.js" }),
            ],
            [text("The test expects 240 seconds for black tea; the timer says 200.")],
          ],
        },
      ],
    },
    async hold({ claude }) {
      await claude.say(["Compare the timer with its test, please."], { sessionId: SESSION });
    },
  },
  {
    name: "image",
    shows:
      "A picture that the person attached, with the companion line that names its file, and one in a result.",
    made: "`claude -p --input-format stream-json`, then the tool Read on a picture",
    script: {
      turns: [
        { user: "Is this the right green?", answers: [[text("It is a light green, close to sencha.")]] },
        {
          user: "Look at the one in the project too.",
          answers: [[tool("Read", { file_path: "PROJECT/leaf.png" })], [text("The same green.")]],
        },
      ],
    },
    async hold({ claude }) {
      const source = { type: "base64", media_type: "image/png", data: PICTURE };
      const said = [
        { type: "text", text: "Is this the right green?" },
        { type: "image", source },
      ];
      await claude.say([said, "Look at the one in the project too."], { sessionId: SESSION });
    },
  },
  {
    name: "branch",
    shows: "Three turns; then the person went back behind the first answer: two branches in one file.",
    made: "`claude -p --resume ID --resume-session-at UUID`",
    script: {
      turns: [
        { user: "Name the timer.", answers: [[text("How about `steep`?")]] },
        { user: "Something shorter?", answers: [[text("`brew`, then.")]] },
        { user: "Take it.", answers: [[text("`brew` it is.")]] },
        { user: "I like steep. Keep it.", answers: [[text("`steep` it is.")]] },
      ],
    },
    async hold({ claude }) {
      const first = await claude.say(["Name the timer."], { sessionId: SESSION });
      const answer = first.events.findLast((event) => event.type === "assistant");
      await claude.say(["Something shorter?", "Take it."], { resume: SESSION });
      await claude.say(["I like steep. Keep it."], { resume: SESSION, at: String(answer?.uuid) });
    },
  },
  {
    name: "fork",
    shows:
      "A session and its fork: a second file with the same lines under a new session id, and one more turn.",
    made: "`claude -p --resume ID --fork-session --session-id NEW`",
    script: {
      turns: [
        { user: "Where do the steeping times come from?", answers: [[text("From a table in `timer.js`.")]] },
        { user: "Could they be read from a file?", answers: [[text("Yes, from a small JSON file.")]] },
      ],
    },
    async hold({ claude }) {
      await claude.say(["Where do the steeping times come from?"], { sessionId: SESSION });
      await claude.say(["Could they be read from a file?"], { resume: SESSION, fork: true, sessionId: FORK });
      return { resume: FORK };
    },
  },
  {
    name: "subagent",
    shows: "A sub-agent that runs in the background, with its own file, and the notice of its end.",
    made: "`claude -p` with the tool Agent",
    full: true,
    script: {
      turns: [
        {
          user: "Have somebody count the teas while we go on.",
          answers: [
            [
              text("I send a helper."),
              tool("Agent", {
                description: "Count the teas",
                prompt: "Count the teas in timer.js.",
                subagent_type: "general-purpose",
              }),
            ],
            [text("The helper is on its way.")],
            [text("The helper counted three teas.")],
          ],
        },
        {
          user: "Count the teas in timer.js.",
          answers: [
            [tool("Bash", { command: "grep -c seconds timer.js", description: "Count the lines" })],
            [text("There are three teas.")],
          ],
        },
      ],
    },
    async hold({ claude }) {
      await claude.say(["Have somebody count the teas while we go on."], { sessionId: SESSION });
    },
  },
  {
    name: "compaction",
    shows: "Two turns, a compaction that the person asked for, and a turn after it.",
    made: "`claude -p --resume ID /compact`",
    script: {
      summary: "They agreed on 240 seconds for black tea.",
      turns: [
        {
          user: "What does the timer say for black tea?",
          answers: [[tool("Read", { file_path: "PROJECT/timer.js" })], [text("200 seconds.")]],
        },
        { user: "It should be four minutes.", answers: [[text("Then 240 seconds.")]] },
        { user: "What did we agree on?", answers: [[text("240 seconds for black tea.")]] },
      ],
    },
    async hold({ claude }) {
      const said = ["What does the timer say for black tea?", "It should be four minutes."];
      await claude.say(said, { sessionId: SESSION });
      await claude.say(["/compact"], { resume: SESSION });
      await claude.say(["What did we agree on?"], { resume: SESSION });
    },
  },
  {
    name: "renamed-and-archived",
    shows: "A title given at the start, one given later, a tag, and the mark of an archived session.",
    made: "`claude -p --name`, then `renameSession`, `tagSession` and `archiveSession` of the Agent SDK",
    script: { turns: [{ user: "Which teas do we sell?", answers: [[text("Green, black and white.")]] }] },
    async hold({ claude, sdk }) {
      await claude.say(["Which teas do we sell?"], { sessionId: SESSION, title: "Teas" });
      await sdk("renameSession", SESSION, "Which teas we sell");
      await sdk("tagSession", SESSION, "shop");
      await sdk("archiveSession", SESSION);
    },
  },
  {
    name: "renamed-after-compaction",
    shows: "A title that was given after a compaction lies in `custom-title.json` too.",
    made: "`claude -p --resume ID /compact`, then `/rename`",
    script: {
      summary: "They talked about white tea.",
      turns: [{ user: "Do we sell white tea?", answers: [[text("Yes, since last spring.")]] }],
    },
    async hold({ claude }) {
      await claude.say(["Do we sell white tea?"], { sessionId: SESSION });
      await claude.say(["/compact"], { resume: SESSION });
      await claude.say(["/rename White tea"], { resume: SESSION });
    },
  },
  {
    name: "other-folder",
    shows: "Resumed from another folder: the file stays where it was, new lines have another `cwd`.",
    made: "`claude -p --resume ID` in another folder",
    script: {
      turns: [
        {
          user: "What is in this folder?",
          answers: [[tool("Bash", { command: "ls", description: "List" })], [text("The timer.")]],
        },
        {
          user: "And in this one?",
          answers: [[tool("Bash", { command: "ls", description: "List" })], [text("Only a label.")]],
        },
      ],
    },
    async hold({ claude, sandbox }) {
      await claude.say(["What is in this folder?"], { sessionId: SESSION });
      await sandbox.write("labels/green.txt", "Sencha\n");
      const cwd = join(sandbox.root, "labels");
      await claude.say(["And in this one?"], { resume: SESSION, cwd });
      return { cwd };
    },
  },
  {
    name: "said-meanwhile",
    shows:
      "The person spoke while a tool ran: the words lie in an attachment (`queued_command`), and were sent within the turn.",
    made: "`claude -p --input-format stream-json`, a second message during the first tool call",
    script: {
      turns: [
        {
          user: "Run the tests.",
          answers: [
            [
              tool("Bash", {
                command: "until test -e report; do sleep 0.1; done",
                description: "Run the tests",
              }),
            ],
            [text("They pass, and I wrote no log.")],
          ],
        },
      ],
    },
    async hold({ claude, sandbox }) {
      const meanwhile = {
        say: "Without a log, please.",
        release: () => sandbox.write("project/report", "all pass\n"),
      };
      await claude.say(["Run the tests."], { sessionId: SESSION, meanwhile });
    },
  },
  {
    name: "refused",
    shows:
      "The model's service refused: an error stands in place of an answer and is never sent to the model.",
    made: "`claude -p` against a server that answers 403, then a turn that goes well",
    script: {
      turns: [
        {
          user: "Which tea for the morning?",
          answers: [[{ type: "error", status: 403, message: "Not today." }]],
        },
        { user: "Try again.", answers: [[text("Black tea.")]] },
      ],
    },
    async hold({ claude }) {
      const options = { sessionId: SESSION };
      await claude.sayInVain("Which tea for the morning?", "refused by the model", options);
      await claude.say(["Try again."], { resume: SESSION });
    },
  },
  {
    name: "killed",
    shows: "Claude Code was killed while a tool ran: a call without a result at the end.",
    made: "`claude -p`, killed during the tool call",
    script: {
      turns: [
        { user: "Is there a long check?", answers: [[text("Yes, one that takes a minute.")]] },
        {
          user: "Start the long check.",
          answers: [[text("It takes a while."), tool("Bash", { command: "sleep 60", description: "Check" })]],
        },
      ],
    },
    async hold({ claude }) {
      await claude.say(["Is there a long check?"], { sessionId: SESSION });
      const options = { resume: SESSION };
      await claude.sayInVain("Start the long check.", "killed during the first tool call", options);
    },
  },
];

export const claudeCases: readonly NativeCase[] = [...CASES, ...CLAUDE_STATES].map((one) => ({
  agent: "claude",
  name: one.name,
  shows: one.shows,
  made: one.made,
  hold: (lastWords, keep) =>
    withClaude(one.script, one.full === true ? "full" : "bare", async (stage) => {
      const { resume = SESSION, cwd } = (await one.hold(stage)) ?? {};
      await keep.home(stage.sandbox, stage.claude.configFolder);
      await stage.claude.say([lastWords], { resume, ...(cwd === undefined ? {} : { cwd }) });
      const request = stage.server.conversation().at(-1);
      if (request === undefined) throw new Error("no request was sent");
      await keep.request(stage.sandbox, resume, request);
    }),
}));
