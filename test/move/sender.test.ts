/** The machine that a session leaves: it keeps the session that changed meanwhile, or that another program of Continuo has open. */

import { appendFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { openChannel, type SentMove, sendMove } from "@continuo/agents/handoff/moving";
import { ContinuoError } from "@continuo/core/model";
import { isJson, type Places } from "@continuo/files";
import { lockNative } from "@continuo/native/writing";
import { beforeEach, expect, test } from "vitest";
import { sessionPath, talk } from "../lost/claude-recipes.ts";
import { type LostHome, makeLostHome, placesOfHome, toLines, writeText } from "../lost/recipe.ts";
import { scratchFolder } from "../scratch-folder.ts";

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

/** Sends to a machine that takes everything, and calls `before` before it confirms. */
async function send(before: () => void): Promise<readonly SentMove[]> {
  const [near, far] = [new PassThrough(), new PassThrough()];
  const there = openChannel(near, far, broken);
  const answering = (async () => {
    if ((await there.readLine()) === null) return;
    await there.writeLine({ ready: 1, host: "laptop", folder: "/there", known: [] });
    const line = await there.readLine();
    const bundle = isJson(line) && isJson(line.bundle) ? line.bundle : {};
    await there.writeLine({ offset: 0 });
    for await (const _bytes of there.readBytes(Number(bundle.sizeBytes)));
    before();
    await there.writeLine({ placed: PLACED });
    if ((await there.readLine()) !== null) await there.writeLine({ ended: 1 });
  })();
  const released: SentMove[] = [];
  const connect = () => ({
    channel: openChannel(far, near, broken),
    broken,
    [Symbol.asyncDispose]: async () => void near.end(),
  });
  const release = async (sent: SentMove): Promise<void> => void released.push(sent);
  try {
    await sendMove(`claude:${ID}`, { places, host: "ssh://laptop", connect, release });
  } finally {
    near.end();
    await answering;
  }
  return released;
}

test("a session is released once the other machine has it", async () => {
  expect(await send(() => undefined)).toMatchObject([{ placed: PLACED, host: "laptop" }]);
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
