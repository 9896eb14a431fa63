/** The recorded conversations with Codex: what was said, and what each case shows. */

import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { threadIdIn } from "../../test/agents/codex/app-server.ts";
import {
  asObject,
  asObjects,
  asText,
  type Script,
  text,
  thinking,
  tool,
} from "../../test/model-servers/index.ts";
import type { NativeCase } from "./case.ts";
import { type CodexCase, withCodex } from "./codex-stage.ts";
import { CODEX_STATES } from "./codex-states.ts";

const PATCH = `*** Begin Patch
*** Update File: timer.js
@@
-  black: { seconds: 200 },
+  black: { seconds: 240 },
*** End Patch
`;

const TWO_TURNS: Script = {
  turns: [
    { user: "Name the timer.", answers: [[thinking("A short name."), text("How about `steep`?")]] },
    { user: "Something shorter?", answers: [[text("`brew`, then.")]] },
    { user: "Then a longer one.", answers: [[text("`steeping-timer`.")]] },
  ],
};

const CASES: readonly CodexCase[] = [
  {
    name: "paginated",
    shows:
      "A paginated rollout of two turns: reasoning, two parallel commands of which one fails, a patch, a command of its own.",
    made: "`codex exec`, then `codex exec resume`",
    script: {
      turns: [
        {
          user: "Make the timer agree with its test.",
          answers: [
            [
              thinking("I compare both files first."),
              text("I read both."),
              tool("exec_command", { cmd: "cat timer.js" }),
              tool("exec_command", { cmd: "cat timer.spec.js" }),
            ],
            [tool("exec_command", { cmd: "cat timer.test.js" })],
            [thinking("Black tea is 40 seconds short."), tool("apply_patch", PATCH)],
            [text("Black tea now steeps for 240 seconds.")],
          ],
        },
        {
          user: "Which file holds the test?",
          answers: [[tool("exec_command", { cmd: "ls" })], [text("`timer.test.js`.")]],
        },
      ],
    },
    async hold({ codex }) {
      const { threadId } = await codex.exec("Make the timer agree with its test.");
      await codex.exec("Which file holds the test?", { resume: threadId });
      return threadId;
    },
  },
  {
    name: "image",
    shows: "A picture that the person attached, and one that the agent looked at by itself.",
    made: "`codex exec --image FILE`",
    script: {
      turns: [
        { user: "Is this the right green?", answers: [[text("It is a light green, close to sencha.")]] },
        {
          user: "Look at the one in the project.",
          answers: [[tool("view_image", { path: "PROJECT/leaf.png" })], [text("The same green.")]],
        },
      ],
    },
    async hold({ codex, sandbox }) {
      const images = [join(sandbox.project, "leaf.png")];
      const { threadId } = await codex.exec("Is this the right green?", { images });
      await codex.exec("Look at the one in the project.", { resume: threadId });
      return threadId;
    },
  },
  {
    name: "fork",
    shows:
      "A thread, a fork of it, and a fork of the fork. A forked file holds its own lines alone; `history_base` names the rest by thread, ordinal and byte offset. The first thread goes on after it was forked.",
    made: "`codex exec fork ID`",
    script: {
      turns: [
        ...(TWO_TURNS.turns ?? []),
        { user: "Back to the first idea.", answers: [[text("`steep` it is.")]] },
      ],
    },
    async hold({ codex }) {
      const { threadId } = await codex.exec("Name the timer.");
      const { threadId: forked } = await codex.exec("Something shorter?", { fork: threadId });
      await codex.exec("Back to the first idea.", { resume: threadId });
      return (await codex.exec("Then a longer one.", { fork: forked })).threadId;
    },
  },
  {
    name: "revert",
    shows:
      "Two turns, the second taken back, another one in its place: a second file of the same thread, whose `history_base` names the thread itself.",
    made: "`thread/revert` of `codex app-server`, then `codex exec resume`",
    script: TWO_TURNS,
    async hold({ codex }) {
      const { threadId } = await codex.exec("Name the timer.");
      await codex.exec("Something shorter?", { resume: threadId });
      {
        await using server = await codex.appServer();
        const resumed = await server.request("thread/resume", { threadId });
        const turns = asObjects(asObject(resumed.thread).turns);
        await server.request("thread/revert", { threadId, beforeTurnId: asText(turns[1]?.id) });
      }
      await codex.exec("Then a longer one.", { resume: threadId });
      return threadId;
    },
  },
  {
    name: "archived",
    shows: "An archived thread: its file lies flat in `archived_sessions/`.",
    made: "`codex archive ID`",
    script: TWO_TURNS,
    async hold({ codex }) {
      const { threadId } = await codex.exec("Name the timer.");
      await codex.command(["archive", threadId]);
      return threadId;
    },
    beforeResume: ({ codex }, threadId) => codex.command(["unarchive", threadId]),
  },
  {
    name: "legacy",
    shows: "A rollout of the older kind, without ordinals: reasoning, two parallel commands, a patch.",
    made: '`thread/start {historyMode: "legacy"}` of `codex app-server`',
    script: {
      turns: [
        {
          user: "Make the timer agree with its test.",
          answers: [
            [
              thinking("I compare both files first."),
              tool("exec_command", { cmd: "cat timer.js" }),
              tool("exec_command", { cmd: "cat timer.spec.js" }),
            ],
            [tool("apply_patch", PATCH)],
            [text("Black tea now steeps for 240 seconds.")],
          ],
        },
        { user: "Name the timer.", answers: [[text("How about `steep`?")]] },
      ],
    },
    async hold({ codex, sandbox }) {
      await using server = await codex.appServer();
      const started = await server.request("thread/start", { historyMode: "legacy", cwd: sandbox.project });
      const threadId = threadIdIn(started);
      await server.turn(threadId, "Make the timer agree with its test.");
      await server.turn(threadId, "Name the timer.");
      return threadId;
    },
  },
  {
    name: "compaction",
    shows:
      "A turn with a command, a compaction, and a turn after it. The summary is opaque (`encrypted_content`), what the person said stays readable.",
    made: "`thread/compact/start` of `codex app-server`, then `codex exec resume`",
    script: {
      summary: "They agreed on 240 seconds for black tea.",
      turns: [
        {
          user: "What does the timer say for black tea?",
          answers: [[tool("exec_command", { cmd: "grep black timer.js" })], [text("200 seconds.")]],
        },
        { user: "What did we agree on?", answers: [[text("240 seconds for black tea.")]] },
      ],
    },
    async hold({ codex }) {
      const { threadId } = await codex.exec("What does the timer say for black tea?");
      {
        await using server = await codex.appServer();
        await server.request("thread/resume", { threadId });
        await server.request("thread/compact/start", { threadId });
        await server.notified("turn/completed", (params) => params.threadId === threadId);
      }
      await codex.exec("What did we agree on?", { resume: threadId });
      return threadId;
    },
  },
  {
    name: "title",
    shows:
      "A title that the person gave, changed once: `session_index.jsonl`, where the last line of an id counts.",
    made: "`thread/name/set` of `codex app-server`, twice",
    script: TWO_TURNS,
    async hold({ codex }) {
      const { threadId } = await codex.exec("Name the timer.");
      await using server = await codex.appServer();
      await server.request("thread/name/set", { threadId, name: "A name" });
      await server.request("thread/name/set", { threadId, name: "A name for the timer" });
      return threadId;
    },
  },
  {
    name: "compressed",
    shows:
      "A rollout compressed with zstd, which Codex reads and resumes. Codex 0.169 writes none by itself.",
    made: "`codex exec`, then the file was compressed by the script",
    script: TWO_TURNS,
    async hold({ codex }) {
      const { threadId } = await codex.exec("Name the timer.");
      await codex.exec("Something shorter?", { resume: threadId });
      const folder = join(codex.home, "sessions");
      for (const name of await readdir(folder, { recursive: true })) {
        if (!name.endsWith(".jsonl")) continue;
        await writeFile(join(folder, `${name}.zst`), zstdCompressSync(await readFile(join(folder, name))));
        await rm(join(folder, name));
      }
      return threadId;
    },
  },
  {
    name: "interrupted",
    shows: "A turn that the person interrupted after a command, while the model was silent.",
    made: "`turn/interrupt` of `codex app-server`",
    script: {
      turns: [
        {
          user: "Run the long check.",
          answers: [[text("It takes a while."), tool("exec_command", { cmd: "ls" })], [{ type: "hang" }]],
        },
      ],
    },
    async hold({ codex, server: model, sandbox }) {
      await using server = await codex.appServer();
      const threadId = threadIdIn(
        await server.request("thread/start", { historyMode: "paginated", cwd: sandbox.project }),
      );
      const input = [{ type: "text", text: "Run the long check.", text_elements: [] }];
      const turnId = asText(asObject((await server.request("turn/start", { threadId, input })).turn).id);
      // The second request is the one that the model never answers.
      while (model.conversation().length < 2) await new Promise((look) => setTimeout(look, 20));
      await server.request("turn/interrupt", { threadId, turnId });
      await server.notified("turn/completed", (params) => asObject(params.turn).id === turnId);
      return threadId;
    },
  },
];

export const codexCases: readonly NativeCase[] = [...CASES, ...CODEX_STATES].map((one) => ({
  agent: "codex",
  name: one.name,
  shows: one.shows,
  made: one.made,
  hold: (lastWords, keep) =>
    withCodex(one.script, async (stage) => {
      const threadId = await one.hold(stage);
      await keep.home(stage.sandbox, stage.codex.home);
      await one.beforeResume?.(stage, threadId);
      await stage.codex.exec(lastWords, { resume: threadId });
      const request = stage.server.conversation().at(-1);
      if (request === undefined) throw new Error("no request was sent");
      await keep.request(stage.sandbox, threadId, request);
    }),
}));
