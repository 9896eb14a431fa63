import { ContinuoError, type Message } from "@continuo/core/model";
import { TranscriptBuilder } from "@continuo/core/transcript";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { TALK_LIMITS } from "./limits.ts";
import { type ImportOptions, importMessages } from "./message-import.ts";
import { importReported, olderThanLimits } from "./native-import.ts";

const said = (at: number, role: Message["role"], text: string): Message => ({
  id: `m${at}`,
  role,
  content: [{ type: "text", text }],
  metadata: {},
  ...(role === "user" ? { origin: "person" as const } : {}),
});

async function* talk(turns: number, text = "x"): AsyncGenerator<Message> {
  for (let at = 0; at < turns; at += 1) {
    yield said(2 * at, "user", text);
    yield said(2 * at + 1, "assistant", text);
  }
}

const ref = { agent: "claude", sessionId: "n1", location: null, cwd: "/a" };
const about = { agent: "claude", title: "T", cwd: "/a", ref, from: { agent: "claude", sessionId: "n1" } };
const keepIn = (store: ImportOptions["store"], more: Partial<ImportOptions> = {}): ImportOptions => ({
  ...about,
  store,
  ...more,
});

test("a long history is stored completely, in batches, and its native session has all of it", async () => {
  await using store = await openStore("memory:");
  const progress: number[] = [];
  const onProgress = (count: number): void => void progress.push(count);
  const turns = TALK_LIMITS.appendEvents * 3;
  const taken = await importMessages(talk(turns), keepIn(store, { onProgress }));
  const { sessionId, metadata } = taken.session;
  const { messages, lastSequence } = await TranscriptBuilder.fromStore(store, sessionId);
  const ids = (await Array.fromAsync(talk(turns))).map(({ id }) => id);
  expect(messages.map(({ id }) => id)).toEqual(ids);
  expect(taken).toMatchObject({ messages: 2 * turns, leftOut: 0 });
  expect(metadata).toMatchObject({
    takenFrom: { agent: "claude", sessionId: "n1", messages: 2 * turns, leftOut: 0 },
    // The update of the session itself is the last event.
    providerSessions: { claude: { sessionId: "n1", baseSequence: lastSequence - 1, state: "live" } },
  });
  expect(progress.length).toBeGreaterThanOrEqual(6);
  expect(progress.at(-1)).toBe(2 * turns);
});

test("a session that cannot be read to its end is not imported", async () => {
  await using store = await openStore("memory:");
  async function* torn(): AsyncGenerator<Message> {
    yield* talk(TALK_LIMITS.appendEvents);
    throw new ContinuoError("unreadable", "it went away");
  }
  await expect(importMessages(torn(), keepIn(store))).rejects.toMatchObject({ code: "unreadable" });
  expect((await store.listSessions()).items).toEqual([]);
});

test("a message that no event can hold is left out, and counted", async () => {
  await using store = await openStore("memory:");
  const huge = said(9, "user", "x".repeat(TALK_LIMITS.messageChars + 1));
  const taken = await importMessages([huge, said(10, "user", "and this")], keepIn(store, { leftOut: 2 }));
  expect(taken).toMatchObject({ messages: 1, leftOut: 3 });
});

test("what a program wrote into a prompt is not imported as a message", async () => {
  await using store = await openStore("memory:");
  const history = [
    said(1, "user", "fix it"),
    { ...said(2, "user", "the rules of the project"), origin: "injected" as const },
    { ...said(3, "user", "the build ended"), origin: "notification" as const },
    said(4, "assistant", "fixed"),
  ];
  const reported = { agent: "claude", sessionId: "n1", title: "T" } as Parameters<typeof importReported>[0];
  const places = { home: "/a", cwd: "/a", env: {} };
  const { session } = await importReported(reported, { history, store, places, cwd: "/a" });
  const { messages } = await TranscriptBuilder.fromStore(store, session.sessionId);
  expect(messages.map(({ id }) => id)).toEqual(["m1", "m4"]);
});

// A message of one letter is 28 characters.
test.each([
  ["all of it", { takenMessages: 10, takenChars: 280 }, 0],
  [
    "the newest messages up to the limit, from a message of a person on",
    { takenMessages: 7, takenChars: 1000 },
    4,
  ],
  [
    "the newest characters up to the limit, from a message of a person on",
    { takenMessages: 100, takenChars: 100 },
    8,
  ],
  ["the last message, even if it is too long", { takenMessages: 100, takenChars: 1 }, 9],
])("the oldest messages are left out, and this remains: %s", async (_, limits, expected) => {
  expect(await olderThanLimits(talk(5), limits)).toBe(expected);
});
