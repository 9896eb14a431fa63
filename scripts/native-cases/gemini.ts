/** The recorded conversations with Gemini CLI: what was said, and what each case shows. */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Gemini, openGemini } from "../../test/agents/gemini/driver.ts";
import { queueInTerminal, rewindInTerminal } from "../../test/agents/gemini/terminal.ts";
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
import { addWorktree, inProject, TEA_PROJECT } from "./project.ts";

const SESSION = "6a7b8c9d-0e1f-4a2b-8c3d-4e5f6a7b8c9d";

export interface GeminiStage {
  readonly sandbox: Sandbox;
  readonly gemini: Gemini;
  readonly server: ModelServer;
}

interface GeminiCase {
  readonly name: string;
  readonly shows: string;
  readonly made: string;
  readonly script: Script;
  /** Holds the conversation; returns the session that is resumed afterwards. */
  readonly hold: (stage: GeminiStage) => Promise<string>;
  /** The folder in which it is resumed, below the sandbox; the project where it is left out. */
  readonly resumedIn?: string;
}

/** A text that is long enough for a compaction. */
const LONG = Array.from({ length: 90 }, (_, k) => `leaf${k}`).join(" ");

const CASES: readonly GeminiCase[] = [
  {
    name: "text-and-thinking",
    shows:
      "Two turns, the second in a process of its own, in the minute of the first: the file is emptied and filled again.",
    made: "`gemini -p --session-id`, then `gemini -p --resume`",
    script: {
      turns: [
        {
          user: "How long should green tea steep?",
          answers: [[thinking("Green tea turns bitter early."), text("Two minutes, at 80 degrees.")]],
        },
        { user: "And black tea?", answers: [[text("Four minutes, in boiling water.")]] },
      ],
    },
    async hold({ gemini }) {
      await gemini.say("How long should green tea steep?", { sessionId: SESSION });
      await gemini.say("And black tea?", { resume: SESSION });
      return SESSION;
    },
  },
  {
    name: "parallel-tools",
    shows: "Three calls in one answer, one of them fails; then another one.",
    made: "`gemini -p` with the tools read_file and run_shell_command",
    script: {
      turns: [
        {
          user: "Compare the timer with its test, please.",
          answers: [
            [
              thinking("I need both files."),
              text("I read both."),
              tool("read_file", { file_path: "timer.js" }),
              tool("read_file", { file_path: "timer.spec.js" }),
              tool("run_shell_command", { command: "ls" }),
            ],
            [text("The test is called `timer.test.js`."), tool("read_file", { file_path: "timer.test.js" })],
            [text("The test expects 240 seconds for black tea; the timer says 200.")],
          ],
        },
      ],
    },
    async hold({ gemini }) {
      await gemini.say("Compare the timer with its test, please.", { sessionId: SESSION });
      return SESSION;
    },
  },
  {
    name: "image",
    shows: "A picture that the person attached, and one that a tool read.",
    made: "`gemini -p` with `@leaf.png`, then the tool read_file",
    script: {
      turns: [
        { user: "What colour is @leaf.png?", answers: [[text("Green.")]] },
        {
          user: "And the one on the disk?",
          answers: [[tool("read_file", { file_path: "leaf.png" })], [text("Green as well.")]],
        },
      ],
    },
    async hold({ gemini }) {
      await gemini.say("What colour is @leaf.png?", { sessionId: SESSION });
      await gemini.say("And the one on the disk?", { resume: SESSION });
      return SESSION;
    },
  },
  {
    name: "subagent",
    shows: "A sub-agent with a file of its own, which the call that started it names.",
    made: "`gemini -p` with the tool invoke_agent and a sub-agent of the user",
    script: {
      turns: [
        {
          user: "Have somebody count the teas.",
          answers: [
            [tool("invoke_agent", { agent_name: "helper", prompt: "Count the teas in timer.js." })],
            [text("There are three.")],
          ],
        },
        {
          user: "Count the teas in timer.js.",
          answers: [
            [thinking("One a line."), tool("read_file", { file_path: "timer.js" })],
            [tool("complete_task", { result: "Three teas." })],
          ],
        },
      ],
    },
    async hold({ gemini }) {
      await gemini.say("Have somebody count the teas.", { sessionId: SESSION });
      return SESSION;
    },
  },
  {
    name: "refused",
    shows: "A turn that the model's service refused: Gemini CLI takes the words out of its list again.",
    made: "`gemini -p`, then `gemini -p --resume` twice",
    script: {
      turns: [
        { user: "Name the timer.", answers: [[text("How about `steep`?")]] },
        { user: "Something ruder?", answers: [[{ type: "error", status: 400, message: "not today" }]] },
        { user: "Something shorter?", answers: [[text("`brew`, then.")]] },
      ],
    },
    async hold({ gemini }) {
      await gemini.say("Name the timer.", { sessionId: SESSION });
      await gemini.sayInVain("Something ruder?", { resume: SESSION });
      await gemini.say("Something shorter?", { resume: SESSION });
      return SESSION;
    },
  },
  {
    name: "rewind",
    shows: "The person went back to before their second question in the terminal, and asked another one.",
    made: "`gemini -p`, `/rewind` in `gemini --resume`, then `gemini -p --resume`",
    script: {
      turns: [
        { user: "Name the timer.", answers: [[thinking("A short name."), text("How about `steep`?")]] },
        { user: "Something shorter?", answers: [[text("`brew`, then.")]] },
        { user: "The longest you know?", answers: [[text("`steeping-timer`.")]] },
      ],
    },
    async hold({ gemini, sandbox }) {
      await gemini.say("Name the timer.", { sessionId: SESSION });
      await gemini.say("Something shorter?", { resume: SESSION });
      await rewindInTerminal(sandbox, gemini, SESSION);
      await gemini.say("The longest you know?", { resume: SESSION });
      return SESSION;
    },
  },
  {
    name: "line-separator",
    shows: "An answer with a line separator (U+2028) in it: Gemini CLI loses that record when it resumes.",
    made: "`gemini -p`, then `gemini -p --resume`",
    script: {
      turns: [
        { user: "Name two teas.", answers: [[text("Green.\u2028Black.")]] },
        { user: "Which is stronger?", answers: [[text("Black.")]] },
      ],
    },
    async hold({ gemini }) {
      await gemini.say("Name two teas.", { sessionId: SESSION });
      await gemini.say("Which is stronger?", { resume: SESSION });
      return SESSION;
    },
  },
  {
    name: "compaction",
    shows:
      "Four turns in one process over ACP, before the last a compaction that Gemini CLI did by itself. Beside it lies a start in which nobody said anything.",
    made: "`gemini --acp`",
    script: {
      summary: "<state_snapshot>\nMany leaves were named.\n</state_snapshot>",
      turns: [
        { user: "Name some leaves.", answers: [[text(LONG)]] },
        { user: "Is there another?", answers: [[{ type: "usage", inputTokens: 900_000 }, text("leaf91.")]] },
        { user: "Which came first?", answers: [[thinking("The first."), text("leaf0.")]] },
      ],
    },
    async hold({ gemini }) {
      await using acp = await gemini.acp();
      const session = await acp.begin();
      for (const words of ["Name some leaves.", "Is there another?", "Which came first?"]) {
        await acp.say(session, words);
      }
      return session;
    },
  },
  {
    name: "cancelled",
    shows:
      "A turn that the client took back while a tool ran, and another one. Over ACP Gemini CLI keeps all calls in one message.",
    made: "`gemini --acp`",
    script: {
      turns: [
        {
          user: "How many teas?",
          answers: [[tool("read_file", { file_path: "timer.js" })], [text("Three.")]],
        },
        {
          user: "Wait for the water.",
          answers: [[text("It takes a while."), tool("run_shell_command", { command: "sleep 30" })]],
        },
        { user: "Never mind. Which is the longest?", answers: [[text("White, five minutes.")]] },
      ],
    },
    async hold({ gemini }) {
      await using acp = await gemini.acp();
      const session = await acp.begin();
      await acp.say(session, "How many teas?");
      await acp.sayAndCancel(session, "Wait for the water.");
      await acp.say(session, "Never mind. Which is the longest?");
      return session;
    },
  },
  {
    name: "todos",
    shows: "A list of things to do that the model keeps, and a command that goes on in the background.",
    made: "`gemini -p` with the tools write_todos and run_shell_command",
    script: {
      turns: [
        {
          user: "Get the timer ready.",
          answers: [
            [
              tool("write_todos", {
                todos: [
                  { description: "Read the timer", status: "in_progress" },
                  { description: "Run its test", status: "pending" },
                ],
              }),
            ],
            [tool("run_shell_command", { command: "sleep 1; echo pass", is_background: true })],
            [text("The check runs.")],
          ],
        },
        { user: "Good?", answers: [[text("All is well.")]] },
      ],
    },
    async hold({ gemini }) {
      await gemini.say("Get the timer ready.", { sessionId: SESSION });
      await gemini.say("Good?", { resume: SESSION });
      return SESSION;
    },
  },
  {
    name: "skills",
    shows: "A skill that the model loads, and a command of the project that stands for a longer prompt.",
    made: "`gemini -p` with `.gemini/skills` and `.gemini/commands` in the project",
    script: {
      turns: [
        {
          user: "How do I brew?",
          answers: [[tool("activate_skill", { name: "brew" })], [text("The water comes first.")]],
        },
        { user: "Steep green for two minutes.", answers: [[text("It steeps.")]] },
      ],
    },
    async hold({ gemini, sandbox }) {
      await sandbox.write(
        "project/.gemini/skills/brew/SKILL.md",
        "---\nname: brew\ndescription: How to brew tea\n---\nBoil the water first.\n",
      );
      await sandbox.write(
        "project/.gemini/commands/steep.toml",
        'description = "Steep a tea"\nprompt = "Steep {{args}} for two minutes."\n',
      );
      await gemini.say("How do I brew?", { sessionId: SESSION });
      await gemini.say("/steep green", { resume: SESSION });
      return SESSION;
    },
  },
  {
    name: "hooks",
    shows: "A hook of the user puts a text before what the model is told.",
    made: "`gemini -p` with a hook `BeforeAgent` in the settings",
    script: {
      turns: [
        { user: "Name the timer.", answers: [[text("How about `steep`?")]] },
        { user: "Something shorter?", answers: [[text("`brew`, then.")]] },
      ],
    },
    async hold({ gemini, sandbox }) {
      const told = {
        hookSpecificOutput: { hookEventName: "BeforeAgent", additionalContext: "It is Tuesday." },
      };
      const script = await sandbox.write(
        "hook.mjs",
        `console.log(${JSON.stringify(JSON.stringify(told))});\n`,
      );
      const command = `${process.execPath} ${script}`;
      const file = join(gemini.home, ".gemini/settings.json");
      const settings = JSON.parse(await readFile(file, "utf8"));
      const hooks = { BeforeAgent: [{ hooks: [{ type: "command", command }] }] };
      await writeFile(file, JSON.stringify({ ...settings, hooks }));
      await gemini.say("Name the timer.", { sessionId: SESSION });
      await gemini.say("Something shorter?", { resume: SESSION });
      // The text of a hook comes last in a request, so the session is resumed without the hook.
      await writeFile(file, JSON.stringify(settings));
      return SESSION;
    },
  },
  {
    name: "plan-mode",
    shows: "A turn in plan mode, in which the model writes a plan, and one after it.",
    made: "`gemini -p --approval-mode plan`, then `gemini -p --resume`",
    script: {
      turns: [
        {
          user: "Plan the fix.",
          answers: [[tool("read_file", { file_path: "timer.js" })], [text("Black tea gets 240 seconds.")]],
        },
        { user: "Do it.", answers: [[text("It is done.")]] },
      ],
    },
    async hold({ gemini }) {
      const flags = ["--model", "gemini-2.5-flash", "--approval-mode", "plan", "--session-id", SESSION];
      const { code, stderr } = await gemini.command([...flags, "--prompt", "Plan the fix."]);
      if (code !== 0) throw new Error(`gemini did not plan: ${stderr}`);
      await gemini.say("Do it.", { resume: SESSION });
      return SESSION;
    },
  },
  {
    name: "worktree",
    shows: "A session in a linked worktree of a repository.",
    made: "`git worktree add`, and `gemini -p` in it",
    resumedIn: "green",
    script: { turns: [{ user: "Name the timer.", answers: [[text("How about `steep`?")]] }] },
    async hold({ gemini, sandbox }) {
      await gemini.say("Name the timer.", { sessionId: SESSION, cwd: addWorktree(sandbox) });
      return SESSION;
    },
  },
  {
    name: "queued",
    shows:
      "Two prompts that the person typed while a command ran: Gemini CLI sends them as one when the turn is over.",
    made: "`gemini --resume` in a terminal",
    script: {
      turns: [
        { user: "Name the timer.", answers: [[text("How about `steep`?")]] },
        {
          user: "Run the tests.",
          answers: [
            [tool("run_shell_command", { command: "until test -e report; do sleep 0.1; done" })],
            [text("They pass.")],
          ],
        },
        { user: "Green too.\n\nBlack too.", answers: [[text("Both pass.")]] },
      ],
    },
    async hold({ gemini, sandbox }) {
      await gemini.say("Name the timer.", { sessionId: SESSION });
      await queueInTerminal(sandbox, gemini, {
        sessionId: SESSION,
        first: "Run the tests.",
        queued: ["Green too.", "Black too."],
        end: () => sandbox.write("project/report", "all pass"),
        answer: "Both pass.",
      });
      return SESSION;
    },
  },
];

export const geminiCases: readonly NativeCase[] = CASES.map((one) => ({
  agent: "gemini",
  name: one.name,
  shows: one.shows,
  made: one.made,
  hold: (lastWords, keep) =>
    withGemini(one.script, async ({ sandbox, server, gemini }) => {
      const sessionId = await one.hold({ sandbox, server, gemini });
      await keep.home(sandbox, gemini.home);
      const cwd = one.resumedIn === undefined ? sandbox.project : join(sandbox.root, one.resumedIn);
      await gemini.say(lastWords, { resume: sessionId, cwd });
      const request = server.conversation().at(-1);
      if (request === undefined) throw new Error("no request was sent");
      await keep.request(sandbox, sessionId, request);
    }),
}));

/** A sandbox with the tea project, a scripted model, and Gemini CLI. */
export async function withGemini(script: Script, hold: (stage: GeminiStage) => Promise<void>): Promise<void> {
  await using sandbox = await makeSandbox();
  for (const [path, content] of TEA_PROJECT) await sandbox.write(join("project", path), content);
  // A turn that was taken back makes Gemini CLI break the rules of the service.
  await using server = await startModelServer({ ...inProject(script, sandbox), strict: false });
  await hold({ sandbox, server, gemini: await openGemini(sandbox, server.url) });
}
