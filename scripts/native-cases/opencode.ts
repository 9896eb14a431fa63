/** The recorded conversations with opencode: what was said, and what each case shows. */

import { join } from "node:path";
import {
  idsBySaid,
  MODEL,
  type Opencode,
  type OpencodeServer,
  OTHER_MODEL,
  openOpencode,
} from "../../test/agents/opencode/driver.ts";
import { PICTURE } from "../../test/agents/picture.ts";
import { makeSandbox, type Sandbox } from "../../test/agents/sandbox.ts";
import {
  asObject,
  asObjects,
  asText,
  type ModelServer,
  type Script,
  startModelServer,
  text,
  thinking,
  tool,
} from "../../test/model-servers/index.ts";
import type { NativeCase } from "./case.ts";
import { opencodeStateCases } from "./opencode-states.ts";
import { inProject, TEA_PROJECT } from "./project.ts";

export interface OpencodeStage {
  readonly sandbox: Sandbox;
  readonly opencode: Opencode;
  readonly server: OpencodeServer;
  readonly model: ModelServer;
}

export interface OpencodeCase {
  readonly name: string;
  readonly shows: string;
  readonly made: string;
  readonly script: Script;
  /** Writes files into the project before opencode starts. */
  readonly prepare?: (sandbox: Sandbox) => Promise<void>;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly variables?: Readonly<Record<string, string>>;
  /** Holds the conversation; returns the session that is resumed afterwards. */
  readonly hold: (stage: OpencodeStage) => Promise<string>;
  /** Sends the text to the session and waits for the answer; `server.say` by default. */
  readonly resume?: (stage: OpencodeStage, sessionId: string, words: string) => Promise<void>;
}

const THREE_TURNS: Script = {
  title: "A name for the timer",
  turns: [
    { user: "Name the timer.", answers: [[thinking("A short name."), text("How about `steep`?")]] },
    { user: "Something shorter?", answers: [[text("`brew`, then.")]] },
    { user: "Take it.", answers: [[text("`brew` it is.")]] },
    { user: "I like steep. Keep it.", answers: [[text("`steep` it is.")]] },
  ],
};

const read = (name: string) => tool("read", { filePath: `PROJECT/${name}` });

const CASES: readonly OpencodeCase[] = [
  {
    name: "text-and-thinking",
    shows: "Two turns, the first answer with thinking; opencode gave the session its title.",
    made: "`opencode serve`: `POST /session`, `POST /session/ID/message`",
    script: THREE_TURNS,
    hold: async ({ server }) => await holdNamed(server, ["Name the timer.", "Something shorter?"]),
  },
  {
    name: "parallel-tools",
    shows: "Two tools called at once, one of which fails, then a third.",
    made: "`POST /session/ID/message`",
    script: {
      turns: [
        {
          user: "Does the timer pass its test?",
          answers: [
            [thinking("Both files."), text("I read both."), read("timer.js"), read("timer.spec.js")],
            [tool("bash", { command: "node timer.test.js", description: "Runs the test" })],
            [text("No: black tea steeps 200 seconds, and the test wants 240.")],
          ],
        },
      ],
    },
    async hold({ server }) {
      const id = await server.create({ title: "The test of the timer" });
      await server.say(id, "Does the timer pass its test?");
      return id;
    },
  },
  {
    name: "image",
    shows: "A picture from the person, and one that the agent read.",
    made: "`POST /session/ID/message` with a file part",
    script: {
      turns: [
        { user: "Is this the right green?", answers: [[text("It is.")]] },
        {
          user: "Look at the one in the project too.",
          answers: [[read("leaf.png")], [text("The same green.")]],
        },
      ],
    },
    async hold({ server }) {
      const id = await server.create({ title: "Green" });
      const url = `data:image/png;base64,${PICTURE}`;
      const picture = { type: "file", mime: "image/png", filename: "leaf.png", url };
      await server.say(id, "Is this the right green?", { parts: [picture] });
      await server.say(id, "Look at the one in the project too.");
      return id;
    },
  },
  {
    name: "revert",
    shows: "Three turns, of which the person took back the last two; they are there until the next prompt.",
    made: "`POST /session/ID/revert`",
    script: THREE_TURNS,
    async hold({ server }) {
      const id = await holdNamed(server, ["Name the timer.", "Something shorter?", "Take it."]);
      const messageID = idsBySaid(await server.messages(id)).get("Something shorter?") ?? "";
      await server.request("POST", `/session/${id}/revert`, { messageID });
      return id;
    },
  },
  {
    name: "fork",
    shows:
      "A session, and a fork of it before its second question: a copy of the messages under new ids. The session that it was made of is archived.",
    made: "`POST /session/ID/fork`, `PATCH /session/ID`",
    script: THREE_TURNS,
    async hold({ server }) {
      const id = await holdNamed(server, ["Name the timer.", "Something shorter?"]);
      const messageID = idsBySaid(await server.messages(id)).get("Something shorter?") ?? "";
      const fork = asObject(await server.request("POST", `/session/${id}/fork`, { messageID }));
      await server.say(asText(fork.id), "I like steep. Keep it.");
      await server.request("PATCH", `/session/${id}`, { time: { archived: Date.UTC(2026, 10, 21) } });
      return asText(fork.id);
    },
  },
  {
    name: "sub-agent",
    shows: "A tool call that started a sub-agent: a session of its own, whose parent is the first.",
    made: "the tool `task`",
    script: {
      turns: [
        {
          user: "Have somebody count the teas.",
          answers: [
            [
              tool("task", {
                description: "Count teas",
                prompt: "Count the teas in the timer.",
                subagent_type: "general",
              }),
            ],
            [text("There are three.")],
          ],
        },
        { user: "Count the teas in the timer.", answers: [[read("timer.js")], [text("Three teas.")]] },
      ],
    },
    async hold({ server }) {
      const id = await server.create({ title: "How many teas" });
      await server.say(id, "Have somebody count the teas.");
      return id;
    },
  },
  {
    name: "compaction",
    shows: "Two turns, a compaction, a turn, a second compaction, and a turn.",
    made: "`POST /session/ID/summarize`, twice",
    script: {
      summary: "They agreed on 240 seconds for black tea.",
      title: "Minutes for black tea",
      turns: [
        {
          user: "What does the timer say for black tea?",
          answers: [[read("timer.js")], [text("200 seconds.")]],
        },
        { user: "It should be four minutes.", answers: [[text("Then 240 seconds.")]] },
        { user: "What did we agree on?", answers: [[text("240 seconds for black tea.")]] },
        { user: "Good.", answers: [[text("Anything else?")]] },
      ],
    },
    async hold({ server }) {
      const id = await holdNamed(server, [
        "What does the timer say for black tea?",
        "It should be four minutes.",
      ]);
      const said = { providerID: "scripted", modelID: MODEL };
      await server.request("POST", `/session/${id}/summarize`, said);
      await server.say(id, "What did we agree on?");
      await server.request("POST", `/session/${id}/summarize`, said);
      await server.say(id, "Good.");
      return id;
    },
  },
  {
    name: "broken-off",
    shows:
      "An answer that failed, one that the person interrupted, a shell command of the person, and a turn after them.",
    made: "an HTTP error of the model; `POST /session/ID/abort` while the model was silent; `POST /session/ID/shell`",
    script: {
      turns: [
        {
          user: "Name the timer.",
          answers: [[{ type: "error", status: 400, message: "The kettle is cold." }]],
        },
        { user: "Try again.", answers: [[text("A look first."), read("timer.js")], [{ type: "hang" }]] },
        { user: "Then without reading.", answers: [[text("How about `steep`?")]] },
      ],
    },
    async hold({ server, model }) {
      const id = await server.create({ title: "Broken off" });
      await server.say(id, "Name the timer.");
      const said = server.say(id, "Try again.");
      // The third request is the one that the model never answers.
      while (model.conversation().length < 3) await new Promise((look) => setTimeout(look, 20));
      await server.request("POST", `/session/${id}/abort`);
      await said;
      await server.request("POST", `/session/${id}/shell`, { agent: "build", command: "echo kettle" });
      await server.say(id, "Then without reading.");
      return id;
    },
  },
  {
    name: "killed",
    shows: "opencode was killed while a tool ran: a call that is still running.",
    made: "`POST /session/ID/message`, and SIGKILL during the tool bash",
    script: {
      turns: [
        {
          user: "Run the tests.",
          answers: [
            [thinking("They take a while."), tool("bash", { command: "sleep 60", description: "Waits" })],
          ],
        },
      ],
    },
    async hold({ server }) {
      const id = await server.create({ title: "Killed" });
      const said = server.say(id, "Run the tests.").catch(String);
      while (!(await isRunning(server, id))) await new Promise((look) => setTimeout(look, 20));
      await server.kill();
      await said;
      return id;
    },
  },
  {
    name: "other-model",
    shows: "A second model goes on: what the first one thought, it is told.",
    made: "`POST /session/ID/message` with another model",
    script: {
      turns: [
        {
          user: "Name the timer.",
          answers: [[thinking("A short name."), read("timer.js")], [text("How about `steep`?")]],
        },
        { user: "Something shorter?", answers: [[thinking("Four letters."), text("`brew`, then.")]] },
      ],
    },
    async hold({ server }) {
      const id = await server.create({ title: "Two models" });
      await server.say(id, "Name the timer.");
      await server.say(id, "Something shorter?", { model: OTHER_MODEL });
      return id;
    },
  },
  {
    name: "plan-and-todos",
    shows: "A turn in plan mode, one after it in which the model keeps a list of things to do.",
    made: "`POST /session/ID/message` with the agents plan and build, and the tool todowrite",
    script: {
      turns: [
        { user: "Plan the new timer.", answers: [[read("timer.js")], [text("Black tea gets 240 seconds.")]] },
        {
          user: "Do it.",
          answers: [
            [
              tool("todowrite", {
                todos: [{ content: "Change black tea", status: "in_progress", priority: "high", id: "1" }],
              }),
            ],
            [text("It is on the list.")],
          ],
        },
      ],
    },
    async hold({ server }) {
      const id = await server.create({ title: "A plan" });
      await server.say(id, "Plan the new timer.", { agent: "plan" });
      await server.say(id, "Do it.", { agent: "build" });
      return id;
    },
  },
  {
    name: "skills",
    shows: "A skill that the model loads, and a command of the project that stands for a longer prompt.",
    made: "the tool skill, and `POST /session/ID/command`, with `.opencode/skills` and `.opencode/commands` in the project",
    script: {
      turns: [
        {
          user: "How do I brew?",
          answers: [[tool("skill", { name: "brew" })], [text("The water comes first.")]],
        },
        { user: "Steep green for two minutes.", answers: [[text("It steeps.")]] },
      ],
    },
    async prepare(sandbox) {
      const described = (what: string): string => `---\nname: brew\ndescription: ${what}\n---\n`;
      const skill = `${described("How to brew tea")}Boil the water first.\n`;
      await sandbox.write("project/.opencode/skills/brew/SKILL.md", skill);
      const command = "---\ndescription: Steep a tea\n---\nSteep $ARGUMENTS for two minutes.\n";
      await sandbox.write("project/.opencode/commands/steep.md", command);
    },
    async hold({ server }) {
      const id = await server.create({ title: "Brewing" });
      await server.say(id, "How do I brew?");
      const model = `scripted/${MODEL}`;
      await server.request("POST", `/session/${id}/command`, { command: "steep", arguments: "green", model });
      return id;
    },
  },
];

/** Sends all texts in a new session, and waits until opencode has given it a title. */
export async function holdNamed(server: OpencodeServer, said: readonly string[]): Promise<string> {
  const id = await server.create();
  for (const words of said) await server.say(id, words);
  await server.named(id);
  return id;
}

async function isRunning(server: OpencodeServer, id: string): Promise<boolean> {
  const parts = (await server.messages(id)).flatMap((message) => asObjects(message.parts));
  return parts.some((part) => asObject(part.state).status === "running");
}

export const opencodeCases: readonly NativeCase[] = [...CASES, ...opencodeStateCases].map((one) => ({
  agent: "opencode",
  name: one.name,
  shows: one.shows,
  made: one.made,
  hold: (lastWords, keep) =>
    withOpencode(one, async ({ sandbox, opencode, server, model }) => {
      const id = await one.hold({ sandbox, opencode, server, model });
      await keep.home(sandbox, opencode.dataHome);
      await using again = await opencode.serve();
      const asked = one.name === "other-model" ? { model: OTHER_MODEL } : {};
      if (one.resume === undefined) await again.say(id, lastWords, asked);
      else await one.resume({ sandbox, opencode, server: again, model }, id, lastWords);
      const request = model.conversation().at(-1);
      if (request === undefined) throw new Error("no request was sent");
      await keep.request(sandbox, id, request);
    }),
}));

/** A sandbox with the tea project, a scripted model, and opencode at work. */
export async function withOpencode(
  {
    script,
    prepare,
    settings,
    variables,
  }: Pick<OpencodeCase, "script" | "prepare" | "settings" | "variables">,
  hold: (stage: OpencodeStage) => Promise<void>,
): Promise<void> {
  await using sandbox = await makeSandbox();
  for (const [path, content] of TEA_PROJECT) await sandbox.write(join("project", path), content);
  await prepare?.(sandbox);
  await using model = await startModelServer(inProject(script, sandbox));
  const opencode = await openOpencode(sandbox, model.url, settings, variables);
  await using server = await opencode.serve();
  await hold({ sandbox, opencode, server, model });
}
