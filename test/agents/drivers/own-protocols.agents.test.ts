/**
 * The drivers of Claude Code, Codex and pi keep promises in addition to the contract, and older versions keep the
 * contract too.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent, Conversation, OpenConversation } from "@continuo/core/model";
import { expect, test } from "vitest";
import { type ModelServer, startModelServer, text } from "../../model-servers/index.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";
import { type AgentSetup, proveDriver, type Subject } from "./contract.ts";
import { claude } from "./subjects/claude.ts";
import { codex } from "./subjects/codex.ts";
import { OLDER } from "./subjects/older.ts";
import { pi } from "./subjects/pi.ts";

const ASKING = "Write it down, please.";
const SLOW = "Tell me a long story.";
const STORY = Array.from({ length: 100 }, (_, k) => `word${k}`).join(" ");

interface Stage extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly server: ModelServer;
  readonly prepared: AgentSetup;
  open(options?: Partial<OpenConversation>): Promise<Conversation>;
}

async function stage({ prepare, writes }: Subject): Promise<Stage> {
  const sandbox = await makeSandbox();
  const file = join(sandbox.project, "written.txt");
  const turns = [
    { user: ASKING, answers: [writes === null ? [] : [writes(file, "words")], [text("That is settled.")]] },
    { user: SLOW, answers: [[{ type: "slow", delayMs: 100 } as const, text(STORY)]] },
  ];
  const server = await startModelServer({ turns });
  const prepared = await prepare(sandbox, server.url);
  return {
    sandbox,
    server,
    prepared,
    open: async (options = {}) => await (await prepared.driver()).open({ cwd: prepared.cwd, ...options }),
    async [Symbol.asyncDispose]() {
      await server.close();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

interface Said {
  readonly words: string;
  readonly signal?: AbortSignal;
}

async function turn(conversation: Conversation, { words, signal }: Said): Promise<readonly AgentEvent[]> {
  const options = signal === undefined ? {} : { signal };
  return await Array.fromAsync(conversation.prompt([{ type: "text", text: words }], options));
}

const SUBJECTS = [claude, codex, pi];

test.each(SUBJECTS)(
  "$title: if a turn is cancelled before it began, the model's answer is not reported",
  async (subject) => {
    await using at = await stage(subject);
    await using conversation = await at.open();
    const events = await turn(conversation, { words: SLOW, signal: AbortSignal.abort() });
    expect(events.at(-1)).toMatchObject({ type: "turn_completed", stopReason: "cancelled" });
    expect(JSON.stringify(events)).not.toContain("word99");
    const next = await turn(conversation, { words: "And now?" });
    expect(next.at(-1)).toMatchObject({ type: "turn_completed", stopReason: "end_turn" });
  },
);

test.each(SUBJECTS)(
  "$title: if a turn is cancelled while a permission is requested, the tool does not run",
  async (subject) => {
    await using at = await stage(subject);
    let taken: AbortSignal | null = null;
    await using conversation = await at.open({
      onPermission: (_, { signal }) => {
        taken = signal;
        void conversation.cancel();
        return new Promise(() => undefined);
      },
    });
    const events = await turn(conversation, { words: ASKING });
    expect(events.find((event) => event.type === "permission_decision")).toMatchObject({
      outcome: "cancelled",
    });
    expect(events.at(-1)).toMatchObject({ type: "turn_completed", stopReason: "cancelled" });
    expect(taken).toMatchObject({ aborted: true });
    expect(existsSync(join(at.sandbox.project, "written.txt"))).toBe(false);
  },
);

test.each(SUBJECTS)(
  "$title: a session that is open elsewhere cannot be resumed (session_live), but can be forked",
  async (subject) => {
    await using at = await stage(subject);
    await using first = await at.open();
    await turn(first, { words: "Hello." });
    const again = at.open({ resumeSessionId: first.sessionId });
    await expect(again).rejects.toMatchObject({
      code: "session_live",
      details: { steps: expect.any(Array) },
    });
    await using fork = await at.open({ forkSessionId: first.sessionId });
    await turn(fork, { words: "Hello, fork." });
    await first.close();
    await using resumed = await at.open({ resumeSessionId: first.sessionId });
    expect(resumed.resumption.happened).toBe("native");
  },
);

test.each(SUBJECTS)(
  "$title: a failed switch to another session leaves the open one as it was",
  async (subject) => {
    await using at = await stage(subject);
    await using conversation = await at.open();
    await turn(conversation, { words: "Hello." });
    const { sessionId } = conversation;
    const missing = conversation.resumeSession("019aa000-0000-7000-8000-000000000001");
    await expect(missing).rejects.toMatchObject({ code: "not_found" });
    const events = await turn(conversation, { words: "Still here?" });
    expect([conversation.sessionId, events.at(-1)?.type]).toEqual([sessionId, "turn_completed"]);
  },
);

for (const older of OLDER) proveDriver(older);
