/** The receiving machine: the bytes that it stores, the session that it places, and the folder that it finds. */

import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { setTimeout } from "node:timers/promises";
import {
  folderOfMove,
  lineAs,
  type MoveChannel,
  openChannel,
  packMove,
  placedSince,
  placeMove,
  receiveMove,
} from "@continuo/agents/handoff/moving";
import { ContinuoError } from "@continuo/core/model";
import { isJson, type Json, openOutputFile, type Places } from "@continuo/files";
import { listNativeSessions } from "@continuo/native";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { sessionPath, talk } from "../lost/claude-recipes.ts";
import { makeLostHome, placesOfHome, toLines, writeText } from "../lost/recipe.ts";
import { scratchFolder } from "../scratch-folder.ts";

const SAID = [
  { role: "user", content: "Make the timer stop" },
  { role: "assistant", content: "It stops now." },
] as const;
const ID = "0b7c1f7e-3d51-4c0e-9a52-6f1f3f0a9c11";
const COMMIT = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

let root: string;
/** The options of the receiving machine. */
let places: Places;
let work: string;
let moves: string;
let bundle: string;

beforeEach(async () => {
  root = scratchFolder("receiver");
  const here = makeLostHome(join(root, "here"));
  writeText(sessionPath(here), toLines(talk(here, SAID)));
  places = { home: join(root, "there"), env: { PATH: process.env.PATH } };
  work = join(root, "there/work");
  mkdirSync(work, { recursive: true });
  moves = join(root, "there/.continuo/moves");
  bundle = join(root, "timer.bundle");
  using output = await openOutputFile(bundle, { force: false, forbidden: [] });
  await packMove(`claude:${ID}`, output, {
    places: placesOfHome(here),
    packedAt: "2026-11-20T10:00:00.000Z",
  });
  output.commit();
});

const broken = (why: string): ContinuoError => new ContinuoError("unavailable", why);

interface Arrival extends AsyncDisposable {
  /** The sender's end of the connection. */
  readonly channel: MoveChannel;
  /** Settles with the error of the receiving machine, or `null`. */
  readonly ended: Promise<unknown>;
}

function arrive(): Arrival {
  const [near, far] = [new PassThrough(), new PassThrough()];
  const ended = receiveMove({ places, channel: openChannel(near, far, broken), broken }).then(
    () => null,
    (error: unknown) => error,
  );
  const channel = openChannel(far, near, broken);
  return {
    channel,
    ended,
    async [Symbol.asyncDispose]() {
      near.end();
      await ended;
    },
  };
}

async function answerTo(channel: MoveChannel, line: object): Promise<Json> {
  await channel.writeLine(line);
  const answer = await channel.readLine();
  if (!isJson(answer)) throw new Error(`no answer: ${JSON.stringify(answer)}`);
  return answer;
}

const offer = (more: object = {}): object => ({
  move: 1,
  into: work,
  folder: "/far/work",
  home: "/far",
  commits: null,
  ...more,
});

const shaOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

interface Sent {
  readonly offset: unknown;
  readonly placed: Json;
}

/** Sends the whole bundle from the requested offset, and optionally confirms it. */
async function sendAll({ channel }: Arrival, { isConfirmed = true } = {}): Promise<Sent> {
  const bytes = readFileSync(bundle);
  await answerTo(channel, offer());
  const moveId = shaOf(Buffer.from("the same move"));
  const what = { moveId, sha256: shaOf(bytes), sizeBytes: bytes.length };
  const { offset } = await answerTo(channel, { bundle: what });
  await channel.writeBytes(bytes.subarray(Number(offset)));
  const { placed, error } = (await channel.readLine()) as Json;
  if (!isJson(placed)) throw new Error(JSON.stringify(error));
  if (isConfirmed) expect(await answerTo(channel, { confirmed: 1 })).toEqual({ ended: 1 });
  return { offset, placed };
}

const partPath = (): string => join(moves, `${shaOf(readFileSync(bundle))}.part`);

describe("what came", () => {
  test("stays until the other machine confirmed, and is placed once, however often it is sent", async () => {
    await using first = arrive();
    const { placed } = await sendAll(first, { isConfirmed: false });
    await first[Symbol.asyncDispose]();
    expect(existsSync(partPath())).toBe(true);
    await using second = arrive();
    expect(await sendAll(second)).toEqual({ offset: statSync(bundle).size, placed });
    expect(existsSync(partPath())).toBe(false);
    expect(await listNativeSessions({ places })).toHaveLength(1);
  });

  test("is deleted if it differs from the offer", async () => {
    const bytes = readFileSync(bundle);
    await using arrival = arrive();
    await answerTo(arrival.channel, offer());
    const moveId = shaOf(Buffer.from("the same move"));
    const what = { moveId, sha256: shaOf(bytes), sizeBytes: bytes.length };
    expect(await answerTo(arrival.channel, { bundle: what })).toEqual({ offset: 0 });
    await arrival.channel.writeBytes(Buffer.from(bytes).fill(0, 0, 10));
    expect(await arrival.channel.readLine()).toMatchObject({ error: { code: "corrupt" } });
    expect(existsSync(partPath())).toBe(false);
    expect(await listNativeSessions({ places })).toEqual([]);
  });

  test("is placed again if the session was deleted since", async () => {
    await using first = arrive();
    const { placed } = await sendAll(first);
    await first[Symbol.asyncDispose]();
    rmSync(String(placed.location));
    await using second = arrive();
    expect((await sendAll(second)).placed.sessionId).toEqual(expect.any(String));
    expect(await listNativeSessions({ places })).toHaveLength(1);
  });

  test("is noted, with its origin, before it is placed", async () => {
    writeFileSync(join(root, "there/.claude"), "no folder");
    await using arrival = arrive();
    await expect(sendAll(arrival)).rejects.toThrow();
    const [note = ""] = readdirSync(moves).filter((name) => name.endsWith(".json"));
    expect(JSON.parse(readFileSync(join(moves, note), "utf8"))).toMatchObject({
      agent: "claude",
      from: { agent: "claude", sessionId: ID },
      cwd: work,
    });
  });

  test("is deleted if it is longer than the bundle", async () => {
    mkdirSync(moves, { recursive: true });
    writeFileSync(partPath(), Buffer.concat([readFileSync(bundle), Buffer.from("more")]));
    await using arrival = arrive();
    expect((await sendAll(arrival)).offset).toBe(0);
  });

  test("is removed after a week, and not before", async () => {
    mkdirSync(moves, { recursive: true });
    const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000);
    for (const days of [6, 8]) {
      writeFileSync(join(moves, `${days}.part`), "");
      utimesSync(join(moves, `${days}.part`), daysAgo(days), daysAgo(days));
    }
    await using arrival = arrive();
    await answerTo(arrival.channel, offer());
    expect(readdirSync(moves)).toEqual(["6.part"]);
  });
});

test("moves are received one after the other", async () => {
  const order: string[] = [];
  await using first = arrive();
  await answerTo(first.channel, offer());
  await using second = arrive();
  const later = answerTo(second.channel, offer()).then(() => order.push("second is ready"));
  // The second move would have enough time here if nothing held it back.
  await setTimeout(100);
  await first.channel.writeLine({ bundle: {} });
  await first.channel.readLine();
  order.push("first has failed");
  await first.ended;
  await later;
  expect(order).toEqual(["first has failed", "second is ready"]);
});

test("a work tree is not placed in a folder that has files but is not a repository", async () => {
  writeFileSync(join(work, "notes.md"), "- mine\n");
  await using arrival = arrive();
  expect(await answerTo(arrival.channel, offer({ commits: [COMMIT] }))).toMatchObject({
    error: { code: "not_found", message: `${work} is not a git repository` },
  });
  expect(await arrival.ended).toMatchObject({ code: "not_found" });
});

describe("a session that a killed process placed", () => {
  test("is found by its origin if it was written since", async () => {
    const sinceMs = Date.now();
    const { made } = await placeMove(bundle, { places, into: work });
    const begun = { agent: "claude", from: { agent: "claude", sessionId: ID }, cwd: work, sinceMs } as const;
    expect(await placedSince(begun, { places })).toMatchObject({ sessionId: made.sessionId });
    const other = { ...begun, from: { ...begun.from, sessionId: "another" } };
    expect(await placedSince(other, { places })).toBeNull();
    expect(await placedSince({ ...begun, sinceMs: sinceMs + 3_600_000 }, { places })).toBeNull();
  });

  test("is returned to the sender that asks again, and not placed a second time", async () => {
    const sinceMs = Date.now();
    const { made } = await placeMove(bundle, { places, into: work });
    const begun = { agent: "claude", from: { agent: "claude", sessionId: ID }, cwd: work, folder: null };
    const name = shaOf(Buffer.from(`${shaOf(Buffer.from("the same move"))} ${work}`));
    writeText(join(moves, `${name}.json`), JSON.stringify({ ...begun, sinceMs }));
    await using arrival = arrive();
    expect((await sendAll(arrival)).placed).toMatchObject({ sessionId: made.sessionId, cwd: work });
    expect(await listNativeSessions({ places })).toHaveLength(1);
  });
});

describe("the folder of a session", () => {
  const found = (more: object) =>
    folderOfMove({ into: null, folder: work, home: root, ...more }, { ...places, home: join(root, "home") });

  test("is preferably the one with the same path, and otherwise the one at the same place below the home", () => {
    mkdirSync(join(root, "home/there/work"), { recursive: true });
    expect(found({})).toBe(work);
    expect(found({ folder: join(root, "there/work/../work"), home: "/far" })).toBe(
      join(root, "there/work/../work"),
    );
    expect(found({ folder: "/far/there/work", home: "/far" })).toBe(join(root, "home/there/work"));
  });

  test("is outside of the home if it was outside on the other machine", () => {
    mkdirSync(join(root, "other-disk/timer"), { recursive: true });
    mkdirSync(join(root, "home"));
    expect(() => found({ folder: "/other-disk/timer", home: "/far" })).toThrow(
      expect.objectContaining({
        code: "usage",
        message: expect.stringContaining("no folder /other-disk/timer"),
      }),
    );
  });
});

describe("the other end of a connection", () => {
  const channelOf = (text: string): MoveChannel => {
    const input = new PassThrough();
    input.end(text);
    return openChannel(input, new PassThrough(), broken);
  };

  test("cannot send a line without an end", async () => {
    await expect(channelOf(`"${"x".repeat(1_200_000)}`).readLine()).rejects.toThrow(
      "a line that is too long",
    );
  });

  test("must send every byte that it announced", async () => {
    const read = async (): Promise<string> =>
      Buffer.concat(await Array.fromAsync(channelOf("1234").readBytes(5))).toString();
    await expect(read()).rejects.toThrow("it ended early");
  });

  test.each([
    ["conflict", "conflict"],
    ["no_such_code", "unavailable"],
    ["toString", "unavailable"],
  ])("reports an error as %s, which is %s here", (code, expected) => {
    const error = { error: { code, message: "no room", hint: "Make room." } };
    const read = (): unknown => lineAs(z.object({ placed: z.string() }), error, { host: "laptop", broken });
    expect(read).toThrow(
      expect.objectContaining({ code: expected, message: "laptop: no room", hint: "Make room." }),
    );
  });
});
