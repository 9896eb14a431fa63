/** States of opencode's sessions: its second generation, background tasks, worktrees, and messages during a turn. */

import { join } from "node:path";
import { MODEL, type OpencodeServer, OTHER_MODEL } from "../../test/agents/opencode/driver.ts";
import { asObject, asObjects, asText, text, thinking, tool } from "../../test/model-servers/index.ts";
import type { OpencodeCase } from "./opencode.ts";
import { addWorktree } from "./project.ts";

const LOOK_MS = 20;
const MAX_LOOKS = 3_000;

async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let look = 0; look < MAX_LOOKS; look++) {
    if (await isSo()) return;
    await new Promise((again) => setTimeout(again, LOOK_MS));
  }
  throw new Error(`opencode did not come to ${what}`);
}

/** Sends a prompt through the interface of the second generation, and waits for the end of the turn. */
async function prompt(server: OpencodeServer, id: string, words: string): Promise<void> {
  const { data } = asObject(
    await server.request("POST", `/api/session/${id}/prompt`, { prompt: { text: words } }),
  );
  const promptId = asText(asObject(data).id);
  await until(async () => {
    const rows = asObjects(asObject(await server.request("GET", `/api/session/${id}/message`)).data);
    // The newest message is first.
    const at = rows.findIndex((row) => row.id === promptId);
    const answer = rows.slice(0, Math.max(at, 0)).find(({ type }) => type === "assistant");
    return answer !== undefined && answer.finish !== undefined && answer.finish !== "tool-calls";
  }, `an answer to ${words}`);
}

export const opencodeStateCases: readonly OpencodeCase[] = [
  {
    name: "second-generation",
    shows:
      "A session of the second generation, whose messages are rows of `session_message`: thinking, two calls of which one fails, a second model.",
    made: "`POST /api/session`, `POST /api/session/ID/prompt`, `POST /api/session/ID/model`",
    script: {
      turns: [
        { user: "Name the timer.", answers: [[thinking("A short name."), text("How about `steep`?")]] },
        {
          user: "Does it steep long enough?",
          answers: [
            [
              thinking("Two files."),
              text("I look."),
              tool("read", { path: "PROJECT/timer.js" }),
              tool("read", { path: "PROJECT/kettle.js" }),
            ],
            [thinking("Not yet."), text("Black tea needs 240 seconds.")],
          ],
        },
        { user: "And green?", answers: [[text("120 seconds.")]] },
      ],
    },
    async hold({ sandbox, server }) {
      const model = { providerID: "scripted", id: MODEL };
      const made = asObject(
        await server.request("POST", "/api/session", { location: { directory: sandbox.project }, model }),
      );
      const id = asText(asObject(made.data).id);
      await prompt(server, id, "Name the timer.");
      await prompt(server, id, "Does it steep long enough?");
      await server.request("POST", `/api/session/${id}/model`, { model: { ...model, id: OTHER_MODEL } });
      await prompt(server, id, "And green?");
      return id;
    },
    resume: ({ server }, id, words) => prompt(server, id, words),
  },
  {
    name: "both-generations",
    shows:
      "A session of two turns, to which a third was said through the interface of the second generation: neither generation sees the messages of the other.",
    made: "`POST /session/ID/message`, then `POST /api/session/ID/prompt`",
    script: {
      turns: [
        { user: "Name the timer.", answers: [[text("How about `steep`?")]] },
        { user: "Something shorter?", answers: [[text("`brew`, then.")]] },
        { user: "Take it.", answers: [[text("`brew` it is.")]] },
      ],
    },
    async hold({ server }) {
      const id = await server.create({ title: "Two generations" });
      await server.say(id, "Name the timer.");
      await server.say(id, "Something shorter?");
      await prompt(server, id, "Take it.");
      return id;
    },
  },
  {
    name: "background-task",
    shows: "A sub-agent that works in the background, and is heard of when it is done.",
    made: "the tool task with `background`, and `OPENCODE_EXPERIMENTAL_BACKGROUND_SUBAGENTS=1`",
    variables: { OPENCODE_EXPERIMENTAL_BACKGROUND_SUBAGENTS: "1" },
    script: {
      turns: [
        {
          user: "Have somebody count the teas meanwhile.",
          answers: [
            [
              tool("task", {
                description: "Count teas",
                prompt: "Count the teas in the timer.",
                subagent_type: "general",
                background: true,
              }),
            ],
            [text("Somebody counts.")],
          ],
        },
        { user: "Count the teas in the timer.", answers: [[text("Three teas.")]] },
      ],
    },
    async hold({ server, model }) {
      const id = await server.create({ title: "Counting meanwhile" });
      await server.say(id, "Have somebody count the teas meanwhile.");
      await until(() => model.conversation().length >= 4, "the end of the task");
      await until(
        async () =>
          (await server.messages(id)).filter((one) => asObject(asObject(one.info).time).completed).length >=
          3,
        "an answer after the task",
      );
      return id;
    },
  },
  {
    name: "worktree",
    shows: "A session in a linked worktree of a repository.",
    made: "`git worktree add`, and `opencode serve` in it",
    script: { turns: [{ user: "Name the timer.", answers: [[text("How about `steep`?")]] }] },
    async prepare(sandbox) {
      addWorktree(sandbox);
    },
    async hold({ sandbox, opencode }) {
      // For a folder without git, opencode makes a separate project when it first works there.
      await sandbox.write("elsewhere/leaf.txt", "");
      await opencode.command(["session", "list"], { cwd: join(sandbox.root, "elsewhere") });
      await using server = await opencode.serve(join(sandbox.root, "green"));
      const id = await server.create({ title: "In a worktree" });
      await server.say(id, "Name the timer.");
      return id;
    },
    async resume({ sandbox, opencode }, id, words) {
      await using server = await opencode.serve(join(sandbox.root, "green"));
      await server.say(id, words);
    },
  },
  {
    name: "said-meanwhile",
    shows: "Two prompts that the person sent while the agent worked; it takes them up between its steps.",
    made: "`POST /session/ID/prompt_async` while the tool bash ran",
    script: {
      turns: [
        {
          user: "Run the tests.",
          answers: [
            [tool("bash", { command: "while [ ! -e go ]; do sleep 0.1; done", description: "Waits" })],
            [text("They pass.")],
          ],
        },
        { user: "Green tea too.", answers: [[text("Green tea passes too.")]] },
      ],
    },
    async hold({ sandbox, server }) {
      const id = await server.create({ title: "Said meanwhile" });
      const said = server.say(id, "Run the tests.");
      const parts = async () => (await server.messages(id)).flatMap((message) => asObjects(message.parts));
      await until(
        async () => (await parts()).some((part) => asObject(part.state).status === "running"),
        "its tool",
      );
      for (const words of ["Black tea too.", "Green tea too."]) {
        await server.request("POST", `/session/${id}/prompt_async`, {
          model: { providerID: "scripted", modelID: MODEL },
          parts: [{ type: "text", text: words }],
        });
      }
      await sandbox.write("project/go", "");
      await said;
      return id;
    },
  },
];
