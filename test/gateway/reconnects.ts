/**
 * An editor whose gateway ends and is started again, often in the middle of a turn: it is killed, gets SIGTERM, or its
 * input ends. After each start the editor loads the session. Nothing is lost, doubled or answered twice.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "@continuo/core/model";
import { expect } from "vitest";
import type { Wire } from "../acp/conformance/wire.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";
import { createRandom } from "../store/harness/random.ts";
import {
  beginSessions,
  ECHO_SCRIPT,
  isAnswer,
  openGateway,
  pad,
  projectOf,
  replayed,
} from "./shared-sessions.ts";

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
  readonly editors: number;
  /** The sessions of one home that the editors share; without it, each editor has a home and a session of its own. */
  readonly sessions?: number;
  readonly seed: number;
}

/** Errors: with the seed. */
export async function reconnectOften({ reconnects, editors, sessions, seed }: Reconnects): Promise<void> {
  const each = Array.from({ length: editors }, (_, at) => ({
    editor: at,
    reconnects: Math.floor(reconnects / editors) + (at < reconnects % editors ? 1 : 0),
    seed: seed + at * 7_919,
  }));
  try {
    if (sessions !== undefined) return await reconnectShared(each, sessions);
    await Promise.all(
      each.map(async (plan) => {
        using home = createTalkHome(ECHO_SCRIPT);
        const [sessionId = ""] = await beginSessions(home, 1);
        await reconnectEditor(home, { ...plan, sessionId });
      }),
    );
  } catch (cause) {
    throw new Error(`failed with seed ${seed}: ${messageOf(cause)}`, { cause });
  }
}

interface EditorPlan {
  readonly editor: number;
  readonly reconnects: number;
  readonly seed: number;
}

async function reconnectShared(plans: readonly EditorPlan[], sessions: number): Promise<void> {
  using home = createTalkHome(ECHO_SCRIPT);
  const ids = await beginSessions(home, sessions);
  const idOf = ({ editor }: EditorPlan): string => ids[editor % sessions] ?? "";
  const asked = await Promise.all(
    plans.map((plan) => reconnectEditor(home, { ...plan, sessionId: idOf(plan) })),
  );
  // The editors looked only at their own prompts.
  await using last = await openGateway(home);
  for (const sessionId of ids) {
    const { user, agent } = await replayed(last, home, sessionId);
    const ofSession = asked.filter((_, at) => idOf(plans[at] as EditorPlan) === sessionId).flat();
    expect(user.filter((words) => !ofSession.includes(words))).toEqual([]);
    expect(new Set(user).size).toBe(user.length);
    const answers = agent.filter((text) => ofSession.some((words) => isAnswer(text, words)));
    expect(new Set(answers).size).toBe(answers.length);
  }
}

/** Returns the prompts, each once, however often it was sent. */
async function reconnectEditor(
  home: TalkHome,
  { editor, reconnects, seed, sessionId }: EditorPlan & { readonly sessionId: string },
): Promise<readonly string[]> {
  const random = createRandom(seed);
  const mark = `question ${pad(editor)}-`;
  let wire = await openGateway(home);
  const ask = (text: string): Promise<unknown> =>
    wire.get("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  await wire.get("session/resume", { sessionId, cwd: projectOf(home) });
  /** All prompts in their order. The scripted agent repeats the last 14 characters. */
  const asked = [`${mark}00`];
  await ask(`${mark}00`);
  const answered = new Set(asked);
  let pending: string | null = null;
  const check = async (): Promise<void> => {
    const { user, agent } = await replayed(wire, home, sessionId);
    const own = user.filter((words) => words.startsWith(mark));
    // A prompt that was taken back before its turn began is shown once or not at all.
    expect(own).toEqual(asked.filter((words) => answered.has(words) || own.includes(words)));
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
      pending = `${mark}${pad(asked.length)}`;
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
  return asked;
}
