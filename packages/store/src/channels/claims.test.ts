/** These tests cover the input that an agent claims, and the end of its runs. */

import type { StoredEvent } from "@continuo/core/model";
import type { ClaimedInput, PostFrame } from "@continuo/core/wire";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type OpenedStore, openStore } from "../store/index.ts";
import { countTurns } from "./agent-turns.ts";
import { answerIdOf, type ClaimOptions, claimInput, endRun } from "./claims.ts";
import { type Fence, takeHandle } from "./handles.ts";
import { interruptMessages } from "./interrupt.ts";
import { LIMITS } from "./limits.ts";
import { channelLogId, participantSession } from "./names.ts";
import {
  createParticipantSession,
  markInterrupted,
  readHistory,
  readParticipantSession,
} from "./participant-session.ts";
import { openChannel } from "./participants.ts";
import { post } from "./post.ts";

const BOT = { channel: "team", handle: "bot" };
let store: OpenedStore;
let fence: Fence;

beforeEach(async () => {
  store = await openStore("memory:", { workspaceId: "w" });
  await openChannel(store, "team");
  fence = await fenceOf("bot");
});
afterEach(async () => await store.close());

async function fenceOf(handle: string): Promise<Fence> {
  const card = { instance: `of ${handle}`, handle, name: handle, type: "agent", capabilities: [] };
  return await takeHandle(store, { channel: "team", handle }, { card });
}

async function say(
  id: string,
  content: string,
  more: object = {},
  type = "person",
  handle = "ann",
): Promise<StoredEvent> {
  const frame = { request: 0, type: "send", id, content, ...more } as unknown as PostFrame;
  return await post(store, { channel: "team", handle, type, instance: "x" }, { frame, open: new Map() });
}

async function complete(messageId: string, content: string, handle = "bot"): Promise<void> {
  const frame = {
    request: 0,
    type: "complete",
    id: `${messageId}/end`,
    messageId,
    content,
  } as unknown as PostFrame;
  const open = new Map([[messageId, { length: 0, head: {} }]]);
  await post(store, { channel: "team", handle, type: "agent", instance: "x" }, { frame, open });
}

async function claim(
  sequence: number,
  instance = "one",
  more: Partial<ClaimOptions> = {},
): Promise<ClaimedInput> {
  return await claimInput(store, { place: BOT, fence, sequence, instance, agent: "pi", ...more });
}

function runOf(claimed: ClaimedInput): string {
  return claimed.runId ?? "";
}

async function failures(): Promise<readonly unknown[]> {
  return (await store.read(channelLogId("team"), { types: ["error_raised"] })).events.map(({ data }) => data);
}

test("inputs are claimed in order, once each, and a repeated claim returns the same input", async () => {
  const first = await say("m1", "@bot one");
  const second = await say("m2", "@bot two");
  await expect(claim(second.sequence)).rejects.toMatchObject({
    code: "conflict",
    details: { sequence: first.sequence },
  });
  const claimed = await claim(first.sequence);
  expect(claimed).toMatchObject({
    state: "claimed",
    attempt: 1,
    content: "@bot one",
    from: "ann",
    messageId: "m1",
  });
  expect(await claim(first.sequence)).toEqual(claimed);
  expect(await readParticipantSession(store, BOT)).toMatchObject({ received: first.sequence, processed: 0 });
  await endRun(store, { place: BOT, fence, runId: runOf(claimed), status: "completed", answer: "1" });
  expect(await readParticipantSession(store, BOT)).toMatchObject({ processed: first.sequence });
  expect(await claim(first.sequence)).toEqual({ state: "done", runId: null });
  expect(await claim(second.sequence)).toMatchObject({ state: "claimed", attempt: 1 });
  expect((await readHistory(store, BOT, 9)).map(({ role, content }) => [role, content])).toEqual([
    ["user", "@bot one"],
    ["assistant", "1"],
    ["user", "@bot two"],
  ]);
});

test("an input of a channel that was deleted and created again is answered, also under a sequence of the first one", async () => {
  const first = await claim((await say("m1", "@bot one")).sequence);
  await endRun(store, { place: BOT, fence, runId: runOf(first), status: "completed", answer: "1" });
  await store.deleteLog(channelLogId("team"));
  await openChannel(store, "team");
  const again = await say("m2", "@bot two");
  expect(again.sequence).toBe(1);
  const claimed = await claim(1);
  expect(claimed).toMatchObject({ state: "claimed", attempt: 1, content: "@bot two" });
  expect(await claim(1)).toEqual(claimed);
  expect(await claim(1, "two")).toMatchObject({ attempt: 2, earlierAnswerIds: [answerIdOf(runOf(claimed))] });
  expect((await readHistory(store, BOT, 9)).map(({ content }) => content)).toEqual([
    "@bot one",
    "1",
    "@bot two",
  ]);
});

test("a run whose process has ended is interrupted, and the input is in the history once", async () => {
  const { sequence } = await say("m", "@bot one");
  const first = await claim(sequence);
  const again = await claim(sequence, "two");
  expect([again, (await store.getRun(runOf(first)))?.status]).toMatchObject([{ attempt: 2 }, "interrupted"]);
  expect(await readHistory(store, BOT, 9)).toHaveLength(1);
});

test("a run whose whole answer is in the channel is completed after its process ended, and is not repeated", async () => {
  const { sequence } = await say("m", "@bot one");
  const { runId } = await claim(sequence);
  const answerId = answerIdOf(runId ?? "");
  await say(answerId, "", { state: "open" }, "agent", "bot");
  await complete(answerId, "all of it");
  expect(await claim(sequence, "two")).toEqual({ state: "done", runId });
  expect((await store.getRun(runId ?? ""))?.status).toBe("completed");
  expect((await readHistory(store, BOT, 9)).at(-1)).toMatchObject({
    role: "assistant",
    content: "all of it",
  });
});

test("a message of another participant under the id of an answer is not the answer of the run", async () => {
  const { sequence } = await say("m", "@bot one");
  const { runId } = await claim(sequence);
  const messageId = answerIdOf(runId ?? "");
  const actor = { kind: "agent", id: "other" } as const;
  await store.append(channelLogId("team"), [
    { type: "message_completed", actor, data: { messageId, content: "forged", handle: "other" } },
  ]);
  expect(await claim(sequence, "two")).toMatchObject({ state: "claimed", attempt: 2 });
  expect(await readHistory(store, BOT, 9)).toHaveLength(1);
});

test("an answer that the server interrupted is begun again, also by the same process", async () => {
  const { sequence } = await say("m", "@bot one");
  const claimed = await claim(sequence);
  await say(answerIdOf(runOf(claimed)), "half", { state: "open" }, "agent", "bot");
  await interruptMessages(store, BOT, { fence, reason: "gone" });
  expect(await claim(sequence)).toMatchObject({ state: "claimed", attempt: 2 });
});

test("an input is given up after exactly the allowed number of interruptions, which the channel reports, and the next one follows", async () => {
  const first = await say("m1", "@bot one");
  const second = await say("m2", "@bot two");
  for (let attempt = 1; attempt <= LIMITS.attempts; attempt++) {
    expect(await claim(first.sequence, String(attempt))).toMatchObject({ state: "claimed", attempt });
  }
  expect(await claim(first.sequence, "last")).toEqual({ state: "done", runId: null });
  expect(await failures()).toMatchObject([
    { code: "interrupted", details: { messageId: "m1", handle: "bot" } },
  ]);
  expect(await claim(second.sequence)).toMatchObject({ state: "claimed" });
});

test("agents stop after exactly the allowed number of messages since a person's, each of which counts once", async () => {
  await say("m", "hello");
  const one = await say("a1", "@bot 1", {}, "agent", "other");
  expect(await claim(one.sequence, "x", { maxTurns: 2 })).toMatchObject({ state: "claimed" });
  await say("a2", "", { state: "open" }, "agent", "third");
  await complete("a2", "whole", "third");
  const three = await say("a3", "@bot 3", {}, "agent", "other");
  await endRun(store, { place: BOT, fence, runId: `run:team:bot:${one.sequence}:1`, status: "completed" });
  expect(await claim(three.sequence, "x", { maxTurns: 4 })).toMatchObject({ state: "claimed" });
  expect(await claim(three.sequence, "x", { maxTurns: 3 })).toEqual({ state: "done", runId: null });
  expect(await failures()).toMatchObject([{ code: "too_many_runs" }]);
  const asked = await say("p", "@bot go on");
  expect(await claim(asked.sequence, "x", { maxTurns: 1 })).toMatchObject({ state: "claimed" });
});

test("agents may answer again after a message of a person, even one that is addressed to nobody", async () => {
  await say("a1", "1", {}, "agent", "other");
  await say("a2", "2", {}, "agent", "third");
  await say("p", "go on");
  const { sequence } = await say("a3", "@bot 3", {}, "agent", "other");
  expect(await claim(sequence, "x", { maxTurns: 2 })).toMatchObject({ state: "claimed" });
  expect(await failures()).toEqual([]);
});

test("no participant can end the run of another one, and a participant that answers is no longer interrupted", async () => {
  const { sequence } = await say("m", "@bot one");
  const runId = runOf(await claim(sequence));
  const other = { channel: "team", handle: "other" };
  await expect(
    endRun(store, { place: other, fence: await fenceOf("other"), runId, status: "failed" }),
  ).rejects.toMatchObject({ code: "not_found" });
  await markInterrupted(store, { place: BOT, fence });
  await endRun(store, { place: BOT, fence, runId, status: "failed" });
  await endRun(store, { place: BOT, fence, runId, status: "failed" });
  expect(await readParticipantSession(store, BOT)).toMatchObject({ status: "active", processed: sequence });
});

test("a repeated end changes nothing: a participant that was interrupted since then stays interrupted", async () => {
  const { sequence } = await say("m", "@bot one");
  const runId = runOf(await claim(sequence));
  await endRun(store, { place: BOT, fence, runId, status: "completed", answer: "1" });
  await markInterrupted(store, { place: BOT, fence });
  const before = await store.latestSequence(participantSession(BOT));
  await endRun(store, { place: BOT, fence, runId, status: "completed", answer: "1" });
  expect(await readParticipantSession(store, BOT)).toMatchObject({ status: "interrupted" });
  expect(await store.latestSequence(participantSession(BOT))).toBe(before);
});

test("a run that failed says why, in the run and in the log of its participant", async () => {
  const { sequence } = await say("m", "@bot one");
  const runId = runOf(await claim(sequence));
  const error = { code: "agent_failed", message: "the model is overloaded" };
  await endRun(store, { place: BOT, fence, runId, status: "failed", error });
  expect((await store.getRun(runId))?.error).toMatchObject(error);
  const { events } = await store.read(participantSession(BOT), { types: ["run_failed"] });
  expect(events.map(({ data }) => data)).toEqual([{ runId, error }]);
});

test("a message that is not addressed to a handle is not its input", async () => {
  const { sequence } = await say("m", "hello");
  await expect(claim(sequence)).rejects.toMatchObject({ code: "invalid" });
  await expect(claim(99)).rejects.toMatchObject({ code: "not_found" });
});

test("a participant can end only its own runs", async () => {
  const own = runOf(await claim((await say("1", "@bot hello")).sequence));
  const place = { channel: "team", handle: "other" };
  await createParticipantSession(store, place);
  const end = { place, fence: await fenceOf("other"), runId: own, status: "completed" } as const;
  await expect(endRun(store, end)).rejects.toMatchObject({ code: "not_found" });
  expect((await store.getRun(own))?.status).toBe("running");
});

test("an agent whose handle was given to another connection can neither claim an input nor end its run", async () => {
  const [first, second] = [await say("m1", "@bot one"), await say("m2", "@bot two")];
  const runId = runOf(await claim(first.sequence));
  await store.releaseLease(fence);
  const next = await fenceOf("bot");
  const end = { place: BOT, runId, status: "completed", answer: "1" } as const;
  await expect(endRun(store, { ...end, fence })).rejects.toMatchObject({ code: "fenced" });
  await expect(claim(first.sequence, "two")).rejects.toMatchObject({ code: "fenced" });
  expect((await store.getRun(runId))?.status).toBe("running");
  await endRun(store, { ...end, fence: next });
  await expect(claim(second.sequence)).rejects.toMatchObject({ code: "fenced" });
  expect(await readParticipantSession(store, BOT)).toMatchObject({ received: first.sequence });
});

test("an input that is given up is reported once, also if the process ends before the input is passed over", async () => {
  const { sequence } = await say("m", "@bot one", {}, "agent", "other");
  const dying = Object.create(store, {
    append: {
      value: async (...asked: Parameters<OpenedStore["append"]>) => {
        if (asked[1].length === 0) throw new Error("the process ends");
        return await store.append(...asked);
      },
    },
  }) as OpenedStore;
  const options = { place: BOT, fence, sequence, instance: "one", agent: "pi", maxTurns: 1 };
  await expect(claimInput(dying, options)).rejects.toThrow("the process ends");
  expect(await claimInput(store, options)).toEqual({ state: "done", runId: null });
  expect(await failures()).toHaveLength(1);
});

test("the log of a participant says who wrote its input and its answer, and why a run was interrupted", async () => {
  const { sequence } = await say("m", "@bot one");
  const first = runOf(await claim(sequence));
  const runId = runOf(await claim(sequence, "two"));
  await endRun(store, { place: BOT, fence, runId, status: "completed", answer: "1" });
  const { events } = await store.read(participantSession(BOT), {
    types: ["message_sent", "message_received"],
  });
  expect(events.map(({ actor }) => actor)).toEqual([
    { kind: "person", id: "ann" },
    { kind: "agent", id: "bot" },
  ]);
  expect((await store.getRun(first))?.error).toMatchObject({ code: "interrupted" });
});

test("a claim counts agents' messages beyond one page of the log", async () => {
  await say("p", "hello");
  const actor = { kind: "agent", id: "other" } as const;
  const all = Array.from({ length: LIMITS.pageEvents + 5 }, () => ({
    type: "message_sent",
    actor,
    data: { content: "x" },
  }));
  await store.append(channelLogId("team"), all);
  const sequence = await store.latestSequence(channelLogId("team"));
  expect(await countTurns(store, "team", { sequence, most: 9_999 })).toBe(all.length);
});
