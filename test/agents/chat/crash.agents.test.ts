/**
 * `continuo repl` is killed while a real agent answers: none of its processes stays alive, and the conversation can
 * continue at once.
 */

import { readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { AgentName, Session, Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { MAIN } from "../../cli/home.ts";
import { asObject, text } from "../../model-servers/index.ts";
import { pids, startedIn, told } from "../started-programs.ts";
import { type Stage, stage } from "./stage.ts";

const AGENTS: readonly AgentName[] = ["claude", "codex", "gemini", "pi", "opencode"];
const SCRIPT = {
  turns: [
    { user: "Which number was it?", answers: [[text("It was forty-one.")]] },
    {
      user: "Tell me a long story.",
      answers: [[{ type: "slow" as const, delayMs: 100 }, text("Once upon a time. ".repeat(500))]],
    },
    { user: "Remember the number forty-one.", answers: [[text("I keep it in mind.")]] },
  ],
};

function replIn({ sandbox }: Stage): number {
  const [pid] = pids().filter(
    (one) =>
      told(() => readlinkSync(`/proc/${one}/cwd`)) === sandbox.project &&
      told(() => readFileSync(`/proc/${one}/cmdline`, "utf8")).includes(`\0${MAIN}\0repl\0`),
  );
  if (pid === undefined) throw new Error("no repl runs");
  return pid;
}

async function storeOf<T>(
  { sandbox }: Stage,
  look: (store: Store, session: Session) => Promise<T>,
): Promise<T> {
  await using store = await openStore(`sqlite:${join(sandbox.root, ".continuo/continuo.db")}`);
  const [session] = (await store.listSessions()).items;
  if (session === undefined) throw new Error("the store has no session");
  return await look(store, session);
}

/** The native session that Continuo has recorded for the conversation. */
const nativeOf = (on: Stage, agent: AgentName): Promise<string> =>
  storeOf(on, async (_, { metadata }) =>
    String(asObject(asObject(metadata.providerSessions)[agent]).sessionId),
  );

/** The text is stored a moment after it was shown, and the test waits for that; later text is lost with the process. */
async function untilKept(on: Stage, words: string): Promise<void> {
  const said = (): Promise<string> =>
    storeOf(on, async (store, { sessionId }) => {
      const { events } = await store.read(sessionId, { types: ["message_streamed"] });
      return events.map(({ data }) => (data as { readonly delta: string }).delta).join("");
    }).catch(() => "");
  await expect.poll(said, { timeout: 120_000 }).toContain(words);
}

test.each(AGENTS)(
  "%s is killed with it in a later turn, and its native session continues",
  async (agent) => {
    await using on = await stage([agent], SCRIPT);
    const terminal = await on.repl();
    terminal.type("Remember the number forty-one.");
    await terminal.until((screen) => screen.includes("I keep it in mind.") && /^❯ *\n*$/mu.test(screen));
    terminal.type("Tell me a long story.");
    await terminal.until((screen) => screen.includes("Once upon a time."));
    await untilKept(on, "Once upon a time.");
    expect(startedIn(on.sandbox)).not.toEqual([]);
    process.kill(replIn(on), "SIGKILL");
    await terminal.until((screen) => screen.includes("code=137"));
    const native = await nativeOf(on, agent);
    const { code, stdout, stderr } = await on.continuo("chat", "--continue", "Which number was it?");
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: "It was forty-one.\n" });
    expect(stderr).toContain("the last turn was interrupted; its prompt was: Tell me a long story.");
    expect(stderr).toContain(`resumed ${agent}:${native}`);
    const words = on.newest().map(([, said]) => said);
    expect(words.join("\n")).toContain("Remember the number forty-one.");
    expect(words.join("\n")).toContain("Once upon a time.");
    await expect.poll(() => startedIn(on.sandbox)).toEqual([]);
  },
  300_000,
);

/** pi writes no part of a session before its first answer is complete. */
test.each(AGENTS.filter((agent) => agent !== "pi"))(
  "%s is killed with it in the first turn, and its native session continues",
  async (agent) => {
    await using on = await stage([agent], SCRIPT);
    const story = on.start(["chat", "Tell me a long story."]);
    await untilKept(on, "Once upon a time.");
    story.kill();
    await expect.poll(() => startedIn(on.sandbox)).toEqual([]);
    const { code, stdout, stderr } = await on.continuo("chat", "--continue", "Which number was it?");
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: "It was forty-one.\n" });
    expect(stderr).toContain(`resumed ${agent}:${await nativeOf(on, agent)}`);
    const words = on.newest().map(([, said]) => said);
    expect(words.join("\n").split("Tell me a long story.")).toHaveLength(2);
    expect(words.join("\n")).toContain("Once upon a time.");
  },
  300_000,
);
