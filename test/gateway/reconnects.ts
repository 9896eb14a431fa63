/**
 * An editor whose gateway ends and is started again, often in the middle of a turn: it is killed, gets SIGTERM, or its
 * input ends. After each start the editor loads the session. Nothing is lost, doubled or answered twice.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Wire } from "../acp/conformance/wire.ts";
import { createTalkHome } from "../cli/talk.ts";
import { createRandom } from "../store/harness/random.ts";
import { ECHO_SCRIPT, isAnswer, openGateway, projectOf, replayed } from "./shared-sessions.ts";

/** The latest moment after a prompt at which the connection ends. */
const LATEST_END_MS = 600;
/** A connection without a prompt costs less, and finds what a prompt leaves. */
const ASKED_EACH = 4;

/** A gateway that is killed can say nothing. The others cancel the turn before they end. */
const ENDS: Readonly<Record<string, (wire: Wire) => Promise<unknown>>> = {
  killed: async (wire) => wire.kill(),
  "end of input": (wire) => wire.end(),
  SIGTERM: async (wire) => {
    wire.kill("SIGTERM");
    await wire.end();
  },
};

/** Returns what happened, in numbers. */
export async function reconnectOften({
  reconnects,
  seed,
}: {
  reconnects: number;
  seed: number;
}): Promise<string> {
  using home = createTalkHome(ECHO_SCRIPT);
  const random = createRandom(seed);
  let wire = await openGateway(home);
  const { sessionId } = await wire.get("session/new", { cwd: projectOf(home), mcpServers: [] });
  const ask = (text: string): Promise<unknown> =>
    wire.get("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  await ask("begin");
  const said = ["begin"];
  const cancelled = new Set<string>();
  let pending: string | null = null;
  let resent = 0;
  const check = async (): Promise<boolean> => {
    const { user, agent } = await replayed(wire, home, String(sessionId));
    const isStored: boolean = pending !== null && user.at(-1) === pending;
    expect(user).toEqual(isStored ? [...said, pending] : said);
    const answersTo = (words: string): number => agent.filter((text) => isAnswer(text, words)).length;
    for (const words of said) {
      if (cancelled.has(words)) expect(answersTo(words), words).toBeLessThanOrEqual(1);
      else expect(answersTo(words), words).toBe(1);
    }
    if (pending !== null && answersTo(pending) === 1) {
      said.push(pending);
      pending = null;
    }
    return isStored;
  };
  for (let at = 0; at < reconnects; at += 1) {
    if (pending === null && at % ASKED_EACH === 0) pending = `question ${at}`;
    if (pending !== null) {
      const answer = ask(pending).catch(() => undefined);
      await Promise.race([answer, sleep(random.below(LATEST_END_MS))]);
    }
    const how = random.pick(Object.keys(ENDS));
    await ENDS[how]?.(wire);
    expect(wire.violations).toEqual([]);
    wire = await openGateway(home);
    const isStored = await check();
    if (pending === null) continue;
    if (how === "killed") {
      resent += 1;
      continue;
    }
    // The person took it back by quitting.
    if (isStored) {
      said.push(pending);
      cancelled.add(pending);
    }
    pending = null;
  }
  if (pending !== null) await ask(pending);
  await check();
  expect(pending).toBeNull();
  await wire[Symbol.asyncDispose]();
  return `${reconnects} reconnects, ${said.length} prompts, ${resent} sent again, ${cancelled.size} cancelled`;
}
