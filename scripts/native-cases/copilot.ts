/** The recorded conversations with GitHub Copilot CLI: what was said, and what each case shows. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Copilot, openCopilot, sessionFileIn } from "../../test/agents/copilot/driver.ts";
import { makeSandbox, type Sandbox } from "../../test/agents/sandbox.ts";
import {
  type ModelServer,
  type Script,
  startModelServer,
  text,
  thinking,
  tool,
} from "../../test/model-servers/index.ts";
import type { NativeCase } from "./case.ts";
import { inProject, TEA_PROJECT } from "./project.ts";

const COPILOT_SESSION = "5a8f1c3e-7b2d-4e60-9a41-c0d9e8f7a6b5";

export interface CopilotStage {
  readonly sandbox: Sandbox;
  readonly copilot: Copilot;
  readonly server: ModelServer;
}

interface CopilotCase {
  readonly name: string;
  readonly shows: string;
  readonly made: string;
  readonly script: Script;
  /** Holds the conversation; returns the id of the session that is resumed afterwards. */
  readonly hold: (stage: CopilotStage) => Promise<string>;
}

const THREE_TURNS: Script = {
  turns: [
    { user: "Name the timer.", answers: [[thinking("A short name."), text("How about `steep`?")]] },
    { user: "Something shorter?", answers: [[text("`brew`, then.")]] },
  ],
};

const HELPERS_TASK = "Count the words in timer.js.";

const CASES: readonly CopilotCase[] = [
  {
    name: "text-and-thinking",
    shows: "Two turns, the second in a process of its own; the first answer with thinking.",
    made: "`copilot -p --session-id ID`, then `copilot -p --resume ID`",
    script: THREE_TURNS,
    async hold({ copilot }) {
      await copilot.say("Name the timer.", { sessionId: COPILOT_SESSION });
      await copilot.say("Something shorter?", { resume: COPILOT_SESSION });
      return COPILOT_SESSION;
    },
  },
  {
    name: "parallel-tools",
    shows: "Three calls in one answer, one of them an error; a command that fails; a file that is changed.",
    made: "`copilot -p`, with the tools view, bash and edit",
    script: {
      turns: [
        {
          user: "Make the timer agree with its test.",
          answers: [
            [
              thinking("I compare both files first."),
              text("I read both and look around."),
              tool("view", { path: "PROJECT/timer.js" }),
              tool("view", { path: "PROJECT/timer.spec.js" }),
              tool("bash", { command: "ls", description: "List the files" }),
            ],
            [
              tool("view", { path: "PROJECT/timer.test.js" }),
              tool("bash", { command: "echo no >&2; exit 3", description: "Fail" }),
            ],
            [
              tool("edit", {
                path: "PROJECT/timer.js",
                old_str: "seconds: 200",
                new_str: "seconds: 240",
              }),
            ],
            [text("Black tea now steeps for 240 seconds.")],
          ],
        },
      ],
    },
    async hold({ copilot }) {
      await copilot.say("Make the timer agree with its test.", { sessionId: COPILOT_SESSION });
      return COPILOT_SESSION;
    },
  },
  {
    name: "image",
    shows: "A picture that the person attached, and one that a tool read.",
    made: "`copilot -p --attachment`, then the tool view on a picture",
    script: {
      turns: [
        { user: "Is this the right green?", answers: [[text("It is a light green, close to sencha.")]] },
        {
          user: "Look at the one in the project too.",
          answers: [[tool("view", { path: "PROJECT/leaf.png" })], [text("The same green.")]],
        },
      ],
    },
    async hold({ sandbox, copilot }) {
      const attachments = [join(sandbox.project, "leaf.png")];
      await copilot.say("Is this the right green?", { sessionId: COPILOT_SESSION, attachments });
      await copilot.say("Look at the one in the project too.", { resume: COPILOT_SESSION });
      return COPILOT_SESSION;
    },
  },
  {
    name: "compaction",
    shows: "Three turns, a compaction, a turn, a second compaction, and a turn.",
    made: "`/compact` as a prompt of `copilot --acp`, twice",
    script: {
      summary: "They agreed on 240 seconds for black tea.",
      turns: [
        {
          user: "What does the timer say for black tea?",
          answers: [[tool("view", { path: "PROJECT/timer.js" })], [text("200 seconds.")]],
        },
        { user: "It should be four minutes.", answers: [[text("Then 240 seconds.")]] },
        { user: "And white tea?", answers: [[text("White tea steeps for five minutes.")]] },
        { user: "What did we agree on?", answers: [[text("240 seconds for black tea.")]] },
        { user: "Good.", answers: [[text("Anything else?")]] },
      ],
    },
    async hold({ copilot }) {
      await using acp = await copilot.acp();
      const id = await acp.begin();
      const said = ["What does the timer say for black tea?", "It should be four minutes.", "And white tea?"];
      for (const words of [...said, "/compact", "What did we agree on?", "/compact", "Good."]) {
        await acp.say(id, words);
      }
      return id;
    },
  },
  {
    name: "subagent",
    shows: "A sub-agent that the call of a tool started, in the same file; it reads a file and answers.",
    made: "`copilot -p`, with the tool task",
    script: {
      turns: [
        {
          user: "Have somebody count the words.",
          answers: [
            [
              tool("task", {
                agent_type: "explore",
                name: "counter",
                description: "Count the words",
                prompt: HELPERS_TASK,
                mode: "sync",
              }),
            ],
            [text("The helper counted twelve words.")],
          ],
        },
        {
          user: HELPERS_TASK,
          answers: [[tool("view", { path: "PROJECT/timer.js" })], [text("Twelve words.")]],
        },
      ],
    },
    async hold({ copilot }) {
      await copilot.say("Have somebody count the words.", { sessionId: COPILOT_SESSION });
      return COPILOT_SESSION;
    },
  },
  {
    name: "broken-off",
    shows: "An answer that failed, an answer that the person interrupted, and a turn after them.",
    made: "an HTTP error of the model; `session/cancel` of ACP during the tool bash",
    script: {
      turns: [
        {
          user: "Name the timer.",
          answers: [[{ type: "error", status: 400, message: "The kettle is cold." }]],
        },
        {
          user: "Try again.",
          answers: [[text("I wait."), tool("bash", { command: "sleep 30", description: "Wait" })]],
        },
        { user: "Then without waiting.", answers: [[text("How about `steep`?")]] },
      ],
    },
    async hold({ copilot }) {
      await using acp = await copilot.acp();
      const id = await acp.begin();
      await acp.say(id, "Name the timer.");
      await acp.sayAndCancel(id, "Try again.");
      await acp.say(id, "Then without waiting.");
      return id;
    },
  },
  {
    name: "killed",
    shows: "Copilot was killed while a tool ran: a call without a result at the end.",
    made: "`copilot -p`, and SIGKILL during the tool bash",
    script: {
      turns: [
        {
          user: "Run the tests.",
          answers: [
            [thinking("They take a while."), tool("bash", { command: "sleep 60", description: "Wait" })],
          ],
        },
      ],
    },
    async hold({ copilot }) {
      await using running = copilot.start("Run the tests.", { sessionId: COPILOT_SESSION });
      const file = sessionFileIn(copilot.home, COPILOT_SESSION);
      while (!existsSync(file) || !readFileSync(file, "utf8").includes('"tool.execution_start"'))
        await sleep(50);
      running.kill();
      return COPILOT_SESSION;
    },
  },
];

export const copilotCases: readonly NativeCase[] = CASES.map((one) => ({
  agent: "copilot",
  name: one.name,
  shows: one.shows,
  made: one.made,
  hold: (lastWords, keep) =>
    withCopilot(one.script, async (stage) => {
      const { sandbox, server, copilot } = stage;
      const id = await one.hold(stage);
      await keep.home(sandbox, copilot.home);
      await copilot.say(lastWords, { resume: id });
      const request = server.conversation().at(-1);
      if (request === undefined) throw new Error("no request was sent");
      await keep.request(sandbox, id, request);
    }),
}));

/** A sandbox with the tea project, a scripted model, and Copilot. */
async function withCopilot(script: Script, hold: (stage: CopilotStage) => Promise<void>): Promise<void> {
  await using sandbox = await makeSandbox();
  for (const [path, content] of TEA_PROJECT) await sandbox.write(join("project", path), content);
  await using server = await startModelServer(inProject(script, sandbox));
  await hold({ sandbox, server, copilot: await openCopilot(sandbox, server.url) });
}
