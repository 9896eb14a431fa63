/**
 * The sending machine: it keeps a session that changed during the move, or that another program of Continuo has open.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { openChannel, type SendMoveOptions, type SentMove, sendMove } from "@continuo/agents/handoff/moving";
import { ContinuoError } from "@continuo/core/model";
import { isJson, type Json, type Places } from "@continuo/files";
import { lockNative } from "@continuo/native/writing";
import { beforeEach, describe, expect, test } from "vitest";
import { sessionPath, talk } from "../lost/claude-recipes.ts";
import { type LostHome, makeLostHome, placesOfHome, toLines, writeText } from "../lost/recipe.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { gitIn } from "./tree-shapes.ts";

const SAID = [
  { role: "user", content: "Make the timer stop" },
  { role: "assistant", content: "It stops now." },
] as const;
const ID = "0b7c1f7e-3d51-4c0e-9a52-6f1f3f0a9c11";
const PLACED = {
  agent: "claude",
  sessionId: "s",
  location: "/l",
  cwd: "/there",
  resumeCommand: ["claude"],
  readBackBy: "claude",
  workTree: null,
};

let home: LostHome;
let places: Places;

beforeEach(() => {
  home = makeLostHome(scratchFolder("sender"));
  places = { ...placesOfHome(home), env: { PATH: process.env.PATH } };
  writeText(sessionPath(home), toLines(talk(home, SAID)));
});

const broken = (why: string): ContinuoError => new ContinuoError("unavailable", why);

/** The lines that the other machine received, and the steps of both machines, in order. */
interface Heard {
  offer: Json;
  bundle: Json;
  readonly steps: string[];
}

interface Sending extends Pick<SendMoveOptions, "workTree" | "onProgress"> {
  readonly sessionId?: string;
  readonly heard?: Heard;
  /** The bytes that the other machine has already. */
  readonly offset?: number;
}

const nothingHeard = (): Heard => ({ offer: {}, bundle: {}, steps: [] });

/** Sends to a machine that accepts everything, and calls `before` before it confirms. */
async function send(
  before: () => void,
  { sessionId = ID, heard = nothingHeard(), offset = 0, ...options }: Sending = {},
): Promise<readonly SentMove[]> {
  const [near, far] = [new PassThrough(), new PassThrough()];
  const there = openChannel(near, far, broken);
  const answering = (async () => {
    const offer = await there.readLine();
    if (!isJson(offer)) return;
    heard.offer = offer;
    await there.writeLine({ ready: 1, host: "laptop", folder: "/there", known: [] });
    const line = await there.readLine();
    heard.bundle = isJson(line) && isJson(line.bundle) ? line.bundle : {};
    await there.writeLine({ offset });
    for await (const _bytes of there.readBytes(Number(heard.bundle.sizeBytes) - offset));
    before();
    heard.steps.push("placed");
    await there.writeLine({ placed: PLACED });
    if ((await there.readLine()) === null) return;
    heard.steps.push("confirmed");
    await there.writeLine({ ended: 1 });
  })();
  const released: SentMove[] = [];
  const connect = () => ({
    channel: openChannel(far, near, broken),
    broken,
    [Symbol.asyncDispose]: async () => void near.end(),
  });
  const release = async (sent: SentMove): Promise<void> => {
    // The other machine must not be notified before this is durable.
    await setTimeout(20);
    heard.steps.push("released");
    released.push(sent);
  };
  try {
    await sendMove(`claude:${sessionId}`, { ...options, places, host: "ssh://laptop", connect, release });
  } finally {
    near.end();
    await answering;
  }
  return released;
}

test("a session is released after the other machine has it", async () => {
  const heard = nothingHeard();
  expect(await send(() => undefined, { heard })).toMatchObject([{ placed: PLACED, host: "laptop" }]);
  expect(heard.steps).toEqual(["placed", "released", "confirmed"]);
});

test("a session that another program has open is refused before anything is sent", async () => {
  const script = `require("node:fs").openSync(${JSON.stringify(sessionPath(home))}, "a"); console.log("open"); setInterval(() => 0, 60_000)`;
  const writer = spawn(process.execPath, ["-e", script], { cwd: "/" });
  const heard = nothingHeard();
  try {
    await once(writer.stdout, "data");
    await expect(send(() => undefined, { heard })).rejects.toMatchObject({ code: "session_live" });
    expect(heard.offer).toEqual({});
  } finally {
    const gone = once(writer, "exit");
    writer.kill("SIGKILL");
    await gone;
  }
});

test("no other program can write to the session until the other machine has it, and every program can afterwards", async () => {
  let refusal: Promise<unknown> | null = null;
  const write = (): void => {
    refusal = lockNative({ agent: "claude", sessionId: ID, places }).then(
      (lock) => lock.release(),
      (error: unknown) => error,
    );
  };
  await send(write);
  expect(await refusal).toMatchObject({ code: "session_live" });
  (await lockNative({ agent: "claude", sessionId: ID, places })).release();
});

describe("a transfer that was cut off", () => {
  test("is continued: the same session gives the same bytes, and the progress includes those that were sent before", async () => {
    const [first, second] = [nothingHeard(), nothingHeard()];
    const counts: (readonly [number, number])[] = [];
    await send(() => undefined, { heard: first });
    const offset = Number(first.bundle.sizeBytes) - 10;
    const onProgress = (sent: number, size: number): void => void counts.push([sent, size]);
    await send(() => undefined, { heard: second, offset, onProgress });
    expect(second.bundle).toEqual(first.bundle);
    expect(counts).toEqual([[offset + 10, offset + 10]]);
  });

  test("does not continue for another work tree, or for another session with the same text", async () => {
    const git = gitIn(home.project);
    git("init", "--quiet");
    git("commit", "--quiet", "--allow-empty", "--message=Begin");
    const copy = "5a1d2c3b-7e8f-4a90-8b1c-2d3e4f5a6b7c";
    writeText(sessionPath(home, `${copy}.jsonl`), toLines(talk(home, SAID)));
    const moveIdOf = async (options: Sending = {}): Promise<unknown> => {
      const heard = nothingHeard();
      await send(() => undefined, { ...options, heard });
      return heard.bundle.moveId;
    };
    const clean = await moveIdOf();
    git.write("notes.md", "- look again\n");
    const all = [clean, await moveIdOf(), await moveIdOf({ sessionId: copy })];
    expect(new Set(all).size).toBe(3);
    expect(await moveIdOf()).toBe(all[1]);
  });
});

test("without its work tree no part of a repository is sent", async () => {
  const git = gitIn(home.project);
  git("init", "--quiet");
  git("commit", "--quiet", "--allow-empty", "--message=Begin");
  const [heard, bare] = [nothingHeard(), nothingHeard()];
  await send(() => undefined, { heard });
  const sent = await send(() => undefined, { heard: bare, workTree: "without" });
  expect([heard.offer.commits, bare.offer.commits]).toEqual([[expect.any(String)], null]);
  expect(sent).toMatchObject([{ packed: { workTree: null } }]);
});

test("a session that grew while it was moved is kept, with a hint", async () => {
  const line = { ...talk(home, SAID)[1], uuid: "6f1f3f0a-0000-4000-8000-000000000009" };
  const grow = (): void => appendFileSync(sessionPath(home), toLines([line]));
  await expect(send(grow)).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("grew while it was moved; ssh://laptop has it as it was before"),
  });
});

test("a session that Continuo has open is refused before anything is sent", async () => {
  const lock = await lockNative({ agent: "claude", sessionId: ID, places });
  try {
    let isAsked = false;
    const ask = (): void => {
      isAsked = true;
    };
    await expect(send(ask)).rejects.toMatchObject({ code: "session_live" });
    expect(isAsked).toBe(false);
  } finally {
    lock.release();
  }
  expect(await send(() => undefined)).toHaveLength(1);
});
