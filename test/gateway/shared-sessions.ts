/**
 * Many editors on a few sessions of one home, each with its own gateway, which is killed at a random moment. The editor
 * then opens the session again, and repeats the prompts that have no answer. Nothing is lost, doubled or answered
 * twice.
 */

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "@continuo/core/model";
import { expect } from "vitest";
import { Wire } from "../acp/conformance/wire.ts";
import { chunk, DONE, hello1, type Script } from "../acp/script.ts";
import { cleanEnv, MAIN } from "../cli/home.ts";
import { createTalkHome, type TalkHome } from "../cli/talk.ts";
import { createRandom, type Random } from "../store/harness/random.ts";

export interface SharedSessions {
  readonly editors: number;
  readonly sessions: number;
  /** The number of kills of gateways, for all editors together. */
  readonly kills: number;
  /** Chooses the moments of the kills. */
  readonly seed: number;
}

/** A gateway is killed at most this long after a prompt. */
const LATEST_KILL_MS = 3_000;

/**
 * The prompts of a session wait for one another: for five editors, and for the leases of 30 s that killed gateways leave
 * behind.
 */
const ANSWER_MS = 300_000;

/** An answer that contained its whole input would double with each replay. */
export const ECHO_SCRIPT: Script = {
  hello: hello1({ resume: {} }, { loadSession: true }),
  answers: {
    "session/new": [{ result: { sessionId: "$UUID" } }],
    "session/resume": [{ result: {} }],
  },
  prompts: { "*": [chunk("You said: "), { waitMs: 100 }, chunk("$END"), { waitMs: 100 }, DONE] },
};

/** Errors: with the seed. */
export async function killSharedSessions(shared: SharedSessions): Promise<void> {
  try {
    await killEditors(shared);
  } catch (cause) {
    throw new Error(`failed with seed ${shared.seed}: ${messageOf(cause)}`, { cause });
  }
}

async function killEditors({ editors, sessions, kills, seed }: SharedSessions): Promise<void> {
  const random = createRandom(seed);
  using home = createTalkHome(ECHO_SCRIPT);
  const ids = await beginSessions(home, sessions);
  const asked = ids.map((): string[] => []);
  const work = Array.from({ length: editors }, async (_, editor) => {
    const own = Math.floor(kills / editors) + (editor < kills % editors ? 1 : 0);
    const at = editor % sessions;
    const client = new KilledEditor(home, { editor, sessionId: ids[at] ?? "", random });
    asked[at]?.push(...(await client.work(own)));
  });
  await Promise.all(work);
  await using last = await openGateway(home);
  for (const [at, sessionId] of ids.entries()) {
    const { user, agent } = await replayed(last, home, sessionId);
    expect(user.toSorted()).toEqual(asked[at]?.toSorted());
    for (const words of asked[at] ?? []) {
      expect(
        agent.filter((text) => isAnswer(text, words)),
        words,
      ).toHaveLength(1);
    }
  }
  expect(last.violations).toEqual([]);
}

interface EditorPlan {
  readonly editor: number;
  readonly sessionId: string;
  readonly random: Random;
}

class KilledEditor {
  readonly #home: TalkHome;
  readonly #plan: EditorPlan;

  constructor(home: TalkHome, plan: EditorPlan) {
    this.#home = home;
    this.#plan = plan;
  }

  /** Returns the prompts, each once, however often it was sent. */
  async work(kills: number): Promise<readonly string[]> {
    const { editor, random } = this.#plan;
    const asked: string[] = [];
    let wire = await this.#open();
    for (let kill = 0; kill <= kills; kill += 1) {
      const words = `question ${pad(editor)}-${pad(kill)}`;
      asked.push(words);
      // The last prompt of an editor is not cut off.
      for (let isCut = kill < kills; ; isCut = false) {
        const answer = this.#ask(wire, words);
        if (!isCut) {
          await answer;
          break;
        }
        await Promise.race([answer.catch(() => undefined), sleep(random.below(LATEST_KILL_MS))]);
        wire.kill();
        expect(wire.violations).toEqual([]);
        wire = await this.#open();
        const { agent } = await replayed(wire, this.#home, this.#plan.sessionId);
        if (agent.some((text) => isAnswer(text, words))) break;
      }
    }
    await wire[Symbol.asyncDispose]();
    return asked;
  }

  #ask(wire: Wire, words: string): Promise<unknown> {
    const { sessionId } = this.#plan;
    const asked = wire
      .get("session/prompt", { sessionId, prompt: [{ type: "text", text: words }] })
      .catch((error: unknown) => {
        throw new Error(`${words} ${String(error)}\n${wire.stderr}`);
      });
    asked.catch(() => undefined);
    return asked;
  }

  async #open(): Promise<Wire> {
    const wire = await openGateway(this.#home);
    await wire.get("session/resume", { sessionId: this.#plan.sessionId, cwd: projectOf(this.#home) });
    return wire;
  }
}

/** Begins this number of sessions, and returns their ids. */
export async function beginSessions(home: TalkHome, count: number): Promise<readonly string[]> {
  await using wire = await openGateway(home);
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const { sessionId } = await wire.get("session/new", { cwd: projectOf(home), mcpServers: [] });
    ids.push(String(sessionId));
  }
  return ids;
}

export async function openGateway(home: TalkHome): Promise<Wire> {
  const env = cleanEnv(home.path);
  const command = [process.execPath, MAIN, "acp"] as const;
  const wire = new Wire({ command, cwd: projectOf(home), env, answerMs: ANSWER_MS });
  await wire.get("initialize", { protocolVersion: 1, clientCapabilities: {} });
  return wire;
}

export function pad(number: number): string {
  return String(number).padStart(2, "0");
}

export function projectOf(home: TalkHome): string {
  return join(home.path, "project");
}

/** A part of an answer does not count as an answer. */
export function isAnswer(text: string, words: string): boolean {
  return text === `You said: ${words}`;
}

/** The messages of a replay, each as one text. */
export async function replayed(
  wire: Wire,
  home: TalkHome,
  sessionId: string,
): Promise<{ readonly user: readonly string[]; readonly agent: readonly string[] }> {
  const before = wire.updatesOf(sessionId).length;
  await wire.get("session/load", { sessionId, cwd: projectOf(home), mcpServers: [] });
  const texts = new Map<string, string>();
  for (const { sessionUpdate, content, messageId } of wire.updatesOf(sessionId).slice(before)) {
    const { text } = (content ?? {}) as { readonly text?: string };
    if (text === undefined) continue;
    const key = `${String(sessionUpdate)} ${String(messageId)}`;
    texts.set(key, (texts.get(key) ?? "") + text);
  }
  const of = (kind: string): readonly string[] =>
    [...texts].filter(([key]) => key.startsWith(kind)).map(([, text]) => text);
  return { user: of("user_message_chunk"), agent: of("agent_message_chunk") };
}
