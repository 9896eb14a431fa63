/** Requests of a participant whose store answered too late, so that it is not known if they were executed. */

import { ContinuoError, type Store } from "@continuo/core/model";
import { CHANNEL_LIMITS, channelLogId } from "@continuo/core/wire";
import { type OpenedStore, openStore } from "@continuo/store";
import {
  createParticipantSession,
  hasParticipantSession,
  openChannel,
  readState,
  takeHandle,
} from "@continuo/store/channels";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  mayHaveOpen,
  openParticipantSession,
  type Participation,
  perform,
  performSends,
} from "./requests.ts";

const place = { channel: "team", handle: "ann" };
const instance = "first";
let base: OpenedStore;
let participation: Participation;
/** The number of the next appends that are executed without an answer. */
let lost = 0;
/** The number of the next reads that fail. */
let unread = 0;
/** The number of appends since the test began. */
let appends = 0;

beforeEach(async () => {
  lost = 0;
  unread = 0;
  appends = 0;
  base = await openStore("memory:");
  await openChannel(base, place.channel);
  const card = { instance, handle: "ann", name: "ann", type: "person", capabilities: [] };
  const fence = await takeHandle(base, place, { card });
  const faulty: Partial<Store> = { append, read };
  const store = new Proxy(base, {
    get: (target, key) => Reflect.get(faulty, key) ?? bound(target, key),
  });
  participation = {
    store,
    place,
    fence,
    instance,
    type: "person",
    device: undefined,
    moderates: false,
    session: "none",
    requireBlobs: async () => undefined,
    countLog: async () => undefined,
    historyItems: 10,
    open: new Map(),
    unsure: new Set(),
    cameBack: false,
  };
});
afterEach(() => base.close());

function bound(target: Store, key: string | symbol): unknown {
  const value: unknown = Reflect.get(target, key);
  return typeof value === "function" ? value.bind(target) : value;
}

async function append(...given: Parameters<Store["append"]>): ReturnType<Store["append"]> {
  appends++;
  const stored = await base.append(...given);
  if (lost === 0) return stored;
  lost--;
  throw new ContinuoError("unavailable", "the answer was lost");
}

async function read(...given: Parameters<Store["read"]>): ReturnType<Store["read"]> {
  if (unread === 0) return await base.read(...given);
  unread--;
  throw new ContinuoError("busy", "the store has much to do");
}

async function types(): Promise<readonly string[]> {
  const { events } = await base.read(channelLogId(place.channel));
  return events.map(({ type }) => type);
}

const begin = { type: "send", request: 1, id: "m", content: "", state: "open" } as const;
const part = { type: "append", request: 2, id: "p", messageId: "m", delta: "words" } as const;
const end = { type: "complete", request: 3, id: "e", messageId: "m", content: "words" } as const;

test("a message whose end was stored without an answer accepts no other part and no other end", async () => {
  await perform(participation, begin);
  lost = 1;
  await expect(perform(participation, end)).rejects.toMatchObject({ code: "unavailable" });
  await perform(participation, begin);
  await expect(perform(participation, part)).rejects.toMatchObject({ code: "conflict" });
  await expect(perform(participation, { ...end, id: "e2" })).rejects.toMatchObject({ code: "conflict" });
  await expect(perform(participation, end)).resolves.toEqual({ sequence: 2 });
  expect(await types()).toEqual(["message_sent", "message_completed"]);
});

test("a message whose beginning was stored without an answer can be continued, and counts as in progress", async () => {
  lost = 1;
  await expect(perform(participation, begin)).rejects.toMatchObject({ code: "unavailable" });
  expect(mayHaveOpen(participation)).toBe(true);
  await perform(participation, part);
  await perform(participation, end);
  expect(mayHaveOpen(participation)).toBe(false);
  expect((await readState(base, place.channel)).open).toEqual({});
});

test("a message whose beginning was stored, and whose log could not be read then, counts as in progress", async () => {
  unread = 1;
  await expect(perform(participation, begin)).rejects.toMatchObject({ code: "busy" });
  expect(mayHaveOpen(participation)).toBe(true);
  await perform(participation, part);
  await perform(participation, end);
  expect(mayHaveOpen(participation)).toBe(false);
  expect((await readState(base, place.channel)).open).toEqual({});
});

test("the number of messages with an unknown state in the store is limited", async () => {
  lost = 40;
  for (let n = 0; n < 40; n++) {
    await expect(perform(participation, { ...begin, id: `m${n}` })).rejects.toThrow();
  }
  expect(participation.unsure.size).toBeLessThanOrEqual(CHANNEL_LIMITS.openMessages);
});

test("a connection that returned looks for messages that an earlier one stored late", () => {
  expect([false, true].map((cameBack) => mayHaveOpen({ ...participation, cameBack }))).toEqual([false, true]);
});

test("an input is claimed only by a participant with one connection", async () => {
  participation.session = "kept";
  await createParticipantSession(base, place);
  const said = { content: "@ann hello", to: ["ann"] };
  const [input] = await base.append(channelLogId(place.channel), [
    { type: "message_sent", actor: { kind: "person", id: "bob" }, data: said },
  ]);
  const claim = { type: "claim", request: 1, sequence: input?.sequence ?? 0, agent: "pi" } as const;
  const card = { instance: "second", handle: "ann", name: "ann", type: "person", capabilities: [] };
  const second = await takeHandle(base, place, { card });
  await expect(perform(participation, claim)).rejects.toMatchObject({ code: "conflict" });
  await base.releaseLease(second);
  expect(await perform(participation, claim)).toMatchObject({ state: "claimed", content: "@ann hello" });
});

const whole = (id: string) => ({ type: "send", request: 1, id, content: `words of ${id}` }) as const;

test("messages that the store refuses together are stored one after the other", async () => {
  await perform(participation, whole("a"));
  const answers = await performSends(participation, [whole("a"), whole("b")]);
  expect(answers).toEqual([{ result: { sequence: 1 } }, { result: { sequence: 2 } }]);
});

test("a participant that lost its handle gets one refusal for each message, and the store is asked once", async () => {
  const { name } = participation.fence;
  await base.releaseLease(participation.fence);
  await base.acquireLease(name, { owner: "another", ttlMs: 60_000 });
  const answers = await performSends(participation, [whole("a"), whole("b")]);
  expect(answers).toMatchObject([{ error: { code: "fenced" } }, { error: { code: "fenced" } }]);
  expect([appends, await types()]).toEqual([1, []]);
});

test("a participant whose session could not be opened changes nothing of it", async () => {
  await createParticipantSession(base, place);
  participation.session = "degraded";
  const commit = { type: "commit", request: 1, sequence: 0 } as const;
  await expect(perform(participation, commit)).rejects.toMatchObject({ code: "session_disabled" });
  expect(appends).toBe(0);
});

test("a message that another connection of the person has in progress is not continued by this one", async () => {
  const data = { content: "so", state: "open", writer: "second" };
  const actor = { kind: "person", id: "ann" } as const;
  await base.append(channelLogId(place.channel), [{ id: "m", type: "message_sent", actor, data }]);
  participation.unsure.add("m");
  await expect(perform(participation, part)).rejects.toMatchObject({ code: "conflict" });
  expect(await types()).toEqual(["message_sent"]);
});

test("a session counts for the quota of its token before it is created", async () => {
  const limited = new ContinuoError("rate_limited", "as many as it may in a day");
  const opening = openParticipantSession({ ...participation, countLog: () => Promise.reject(limited) });
  await expect(opening).rejects.toBe(limited);
  expect(await hasParticipantSession(base, place)).toBe(false);
});

test("a request for more of the history than the server returns is refused", async () => {
  await createParticipantSession(base, place);
  participation.session = "kept";
  const ask = (limit: number) => perform(participation, { type: "history", request: 1, limit });
  await expect(ask(11)).rejects.toMatchObject({ code: "invalid", details: { limit: 10 } });
  expect(await ask(10)).toEqual([]);
});
