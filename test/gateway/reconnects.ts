/**
 * An editor whose gateway ends and is started again, often in the middle of a turn: it is killed, gets SIGTERM, or its
 * input ends. After each start the editor loads the session. Nothing is lost, doubled or answered twice.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "@continuo/core/model";
import { expect } from "vitest";
import type { Wire } from "../acp/conformance/wire.ts";
import { createTalkHome } from "../cli/talk.ts";
import { createRandom } from "../store/harness/random.ts";
import { ECHO_SCRIPT, isAnswer, openGateway, projectOf, replayed } from "./shared-sessions.ts";

/** The connection ends at most this long after the prompt. */
const LATEST_END_MS = 1_500;
/**
 * A prompt is sent in one of this number of connections. The others cost less, and find what a prompt leaves behind.
 */
const ASKED_EACH = 4;

/**
 * The ways in which a gateway ends. A killed gateway can report nothing; the others cancel the turn before they end.
 */
const ENDS: Readonly<Record<string, (wire: Wire) => Promise<unknown>>> = {
  killed: async (wire) => wire.kill(),
  "end of input": (wire) => wire.end(),
  SIGTERM: async (wire) => {
    wire.kill("SIGTERM");
    await wire.end();
  },
};

export interface Reconnects {
  /** The reconnects of all editors together. */
  readonly reconnects: number;
  /** Each has a home of its own. */
  readonly editors: number;
  readonly seed: number;
}

/** Errors: with the seed. */
export async function reconnectOften({ reconnects, editors, seed }: Reconnects): Promise<void> {
  const each = Array.from({ length: editors }, (_, at) => ({
    reconnects: Math.floor(reconnects / editors) + (at < reconnects % editors ? 1 : 0),
    seed: seed + at * 7_919,
  }));
  try {
    await Promise.all(each.map(reconnectEditor));
  } catch (cause) {
    throw new Error(`failed with seed ${seed}: ${messageOf(cause)}`, { cause });
  }
}

async function reconnectEditor({ reconnects, seed }: Omit<Reconnects, "editors">): Promise<void> {
  using home = createTalkHome(ECHO_SCRIPT);
  const random = createRandom(seed);
  let wire = await openGateway(home);
  const { sessionId } = await wire.get("session/new", { cwd: projectOf(home), mcpServers: [] });
  const ask = (text: string): Promise<unknown> =>
    wire.get("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  await ask("begin");
  /** All prompts in their order. */
  const asked = ["begin"];
  const answered = new Set(asked);
  let pending: string | null = null;
  const check = async (): Promise<void> => {
    const { user, agent } = await replayed(wire, home, String(sessionId));
    // A prompt that was taken back before its turn began is shown once or not at all.
    expect(user).toEqual(asked.filter((words) => answered.has(words) || user.includes(words)));
    for (const words of asked) {
      const answers = agent.filter((text) => isAnswer(text, words)).length;
      if (answered.has(words)) expect(answers, words).toBe(1);
      else expect(answers, words).toBeLessThanOrEqual(1);
      if (answers === 1) answered.add(words);
      if (answers === 1 && words === pending) pending = null;
    }
  };
  for (let at = 0; at < reconnects; at += 1) {
    if (pending === null && at % ASKED_EACH === 0) {
      // The scripted agent repeats this many characters.
      pending = `question ${String(at).padStart(5, "0")}`;
      asked.push(pending);
    }
    if (pending !== null) {
      const answer = ask(pending).catch(() => undefined);
      await Promise.race([answer, sleep(random.below(LATEST_END_MS))]);
    }
    const how = random.pick(Object.keys(ENDS));
    await ENDS[how]?.(wire);
    expect(wire.violations).toEqual([]);
    wire = await openGateway(home);
    await check();
    // A person who quits takes the prompt back.
    if (how !== "killed") pending = null;
  }
  if (pending !== null) await ask(pending);
  await check();
  expect(pending).toBeNull();
  await wire[Symbol.asyncDispose]();
}
