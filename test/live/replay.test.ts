/** Replays of recorded drafts, replays with the model, the nightly replay, and questions about the video. */

import type { Agent, StoredEvent } from "@continuo/core/model";
import { agentWriter, LiveService, type NoteWriter, onMeasurement, replayEvents } from "@continuo/live";
import { openStore } from "@continuo/store";
import { expect, onTestFinished, test } from "vitest";
import { fakeClock, untilQuiet } from "./fake-clock.ts";
import { type LiveTest, liveTest, said } from "./live-session.ts";
import { allEvents } from "./servers.ts";

/** A session with new, updated, merged and unsure notes, and one that a person edited. */
async function play(live: LiveTest): Promise<string> {
  const { sessionId } = await live.service.open("k", { videoId: "v" });
  const words: readonly (readonly [string, number, number])[] = [
    ["The owner lit the lamp", 0, 4_000],
    ["The owner lit the lamp at dusk", 1_000, 4_000],
    ["The owner lit the lamp once more", 5_000, 8_000],
    ["The owner lit the lamp every dusk", 0, 8_000],
    ["Boats came home", 20_000, 24_000],
  ];
  for (const [text, at, endMs] of words) {
    await live.send("k", said(text, at, { endMs }));
    await live.clock.advance(7_000);
  }
  const boats = (await live.service.notes("k")).find(({ text }) => text.startsWith("Boats"));
  await live.service.operate("k", boats?.noteId ?? "", { operation: "edit", text: "Three boats came home" });
  await live.clock.advance(7_000);
  return sessionId;
}

async function* listed(events: readonly StoredEvent[]): AsyncGenerator<StoredEvent, void, void> {
  yield* events;
}

/** A writer that makes one draft of each batch, with the words and the times of its first piece. */
const spanWriter = {
  name: "span",
  write: async ({
    batchId,
    evidence,
  }: {
    batchId: string;
    evidence: readonly { text: string; startMs: number; endMs: number; id: string; type: string }[];
  }) => {
    const [first] = evidence.filter(({ type }) => type === "transcript_added");
    if (first === undefined) return { drafts: [] };
    const { text, startMs, endMs, id } = first;
    return { drafts: [{ draftId: `${batchId}/1`, text, startMs, endMs, confidence: 0.9, evidence: [id] }] };
  },
};

test("a replay makes all notes again, byte for byte, and any planted change lowers its agreement", async () => {
  await using live = await liveTest({ noteWriters: [spanWriter] });
  const sessionId = await play(live);
  const report = await live.service.replay("k", "recorded");
  // The seven events: 2 + 1 notes are written, 1 is updated, 1 merged, 2 archived.
  expect(report).toEqual({ mode: "recorded", compared: 7, agreed: 7, agreement: 1, disagreements: [] });
  const events = await allEvents(live.store, sessionId);
  for (const [n, event] of events.entries()) {
    const changed: StoredEvent = { ...event, data: { ...(event.data as object), planted: true } };
    const planted = await replayEvents(listed(events.with(n, changed)));
    expect(planted.agreement, `${event.type} was changed`).toBeLessThan(1);
    if (!event.type.startsWith("note_")) continue;
    const missing = await replayEvents(listed(events.toSpliced(n, 1)));
    expect(missing.agreement, `${event.type} is missing`).toBeLessThan(1);
  }
});

test("a changed or missing draft or note is found even if all hashes are right", async () => {
  const { canonicalJson, chainHash, payloadHash, CHAIN_START } = await import("@continuo/core/model");
  const { sha256 } = await import("../../packages/live/src/kit/values.ts");
  await using live = await liveTest({ noteWriters: [spanWriter] });
  const events = await allEvents(live.store, await play(live));
  const rehashed = (list: readonly StoredEvent[]): readonly StoredEvent[] => {
    let before: string = CHAIN_START;
    return list.map((event, n) => {
      const { data, salt } = event;
      const hash = payloadHash(sha256, canonicalJson(data), salt);
      const hashed = { ...event, sequence: n + 1, payloadHash: hash };
      before = chainHash(sha256, before, hashed);
      return { ...hashed, chainHash: before };
    });
  };
  const forged = (at: number, change: (data: string) => string): readonly StoredEvent[] =>
    rehashed(
      events.map((event, n) =>
        n === at ? { ...event, data: JSON.parse(change(JSON.stringify(event.data))) as object } : event,
      ),
    );
  expect((await replayEvents(listed(forged(-1, (data) => data)))).agreement).toBe(1);
  for (const [n, { type, actor }] of events.entries()) {
    const isMade = type === "draft_written" || (type.startsWith("note_") && actor.kind !== "person");
    if (!isMade) continue;
    const shorter = await replayEvents(listed(rehashed(events.toSpliced(n, 1))));
    if (type !== "decision_made") expect(shorter.agreement, `${type} was left out`).toBeLessThan(1);
    if (type === "note_archived") continue;
    const report = await replayEvents(
      listed(forged(n, (data) => data.replace("owner", "sexton").replace("Boats", "Ships"))),
    );
    expect(report.agreement, `${type} was forged`).toBeLessThan(1);
  }
});

test("a replay with the model agrees if its notes are like the recorded ones, and does not change the session", async () => {
  let words = (text: string): string => text;
  const writer = {
    ...spanWriter,
    write: async (request: Parameters<typeof spanWriter.write>[0]) => {
      const { drafts } = await spanWriter.write(request);
      return { drafts: drafts.map((draft) => ({ ...draft, text: words(draft.text) })) };
    },
  };
  await using live = await liveTest({ noteWriters: [writer] });
  const sessionId = await play(live);
  const before = await live.store.latestSequence(sessionId);
  words = (text) => `${text}, as was said`;
  expect(await live.service.replay("k", "model")).toMatchObject({ compared: 5, agreed: 5, agreement: 1 });
  words = (text) => (text.startsWith("Boats") ? "Nothing of this kind" : text);
  const report = await live.service.replay("k", "model");
  expect(report).toMatchObject({ mode: "model", compared: 5, agreed: 4, agreement: 0.8 });
  expect(report.disagreements).toHaveLength(1);
  expect(await live.store.latestSequence(sessionId)).toBe(before);
});

test("a replay with the model compares only drafts that become notes by the server's rules", async () => {
  let confidence = 0.9;
  const writer = {
    ...spanWriter,
    write: async (request: Parameters<typeof spanWriter.write>[0]) => {
      const { drafts } = await spanWriter.write(request);
      return { drafts: drafts.map((draft) => ({ ...draft, confidence })) };
    },
  };
  await using live = await liveTest({ noteWriters: [writer], rules: { confidence: 0.8 } });
  await play(live);
  confidence = 0.7;
  expect(await live.service.replay("k", "model")).toMatchObject({ compared: 0 });
});

test("a replay with the model and without context gives the writer only the evidence of each batch", async () => {
  const seen: { readonly notes: number; readonly around: number; readonly memory: unknown }[] = [];
  const writer: NoteWriter = {
    name: "looking",
    write: async (request) => {
      let around = 0;
      for await (const _ of request.context(1_000)) around++;
      seen.push({ notes: request.notes.length, around, memory: request.memory });
      return { ...(await spanWriter.write(request)), memory: "a talk about a harbour" };
    },
  };
  await using live = await liveTest({ noteWriters: [writer] });
  await play(live);
  seen.length = 0;
  await live.service.replay("k", "model");
  const withContext = seen.splice(0);
  expect(withContext.at(-1)).toMatchObject({ notes: expect.any(Number), memory: "a talk about a harbour" });
  expect(withContext.at(-1)?.around).toBeGreaterThan(0);
  await live.service.replay("k", "model", { context: "none" });
  expect(seen).toEqual(withContext.map(() => ({ notes: 0, around: 0, memory: null })));
});

test("every night one of two servers replays the sessions of the last day once, and degrades those that do not agree, with an alert", async () => {
  await using store = await openStore("memory:");
  const lines: string[] = [];
  const alerts: unknown[] = [];
  onTestFinished(
    onMeasurement(({ name, attributes }) => {
      if (name === "continuo.live.alerts") alerts.push(attributes);
    }),
  );
  // Midnight of a past day, because the store uses the real clock, by which a session without input would end. Before
  // midnight the replay of the last night would still be due.
  const midnight = Math.floor((Date.now() - 32 * 3_600_000) / 86_400_000) * 86_400_000 + 24 * 3_600_000;
  const clock = fakeClock(() => untilQuiet(() => true), midnight);
  // The nightly replay is on by default.
  const options = { store, clock, report: (line: string) => lines.push(line) };
  const services = [new LiveService(options), new LiveService(options)];
  try {
    const [service] = services;
    await service?.open("k", { videoId: "v" });
    const sessionId = (await service?.sessionIdOf("k")) ?? "";
    // This event of a note has no decision.
    await store.append(sessionId, [
      { type: "note_written", data: { noteId: "n", content: "x", decisionId: "none" } },
    ]);
    for (const one of services) await one.start();
    const nights = async (): Promise<number> =>
      (await store.listClaims({ prefix: "live/replayed/" })).items.length;
    await clock.advance(1.75 * 3_600_000);
    expect(await nights()).toBe(0);
    await clock.advance(2 * 3_600_000);
    await expect.poll(nights).toBe(1);
    await clock.advance(4 * 3_600_000);
    await expect.poll(async () => lines.filter((line) => line.includes("the replay of")).length).toBe(1);
    expect(lines.find((line) => line.includes("the replay of"))).toContain("agrees in 0 %");
    await expect.poll(async () => (await service?.session("k"))?.state).toBe("degraded");
    expect((await service?.session("k"))?.health.degradedReason).toContain("the nightly replay: ");
    expect(alerts).toEqual([{ reason: "replay_disagrees" }]);
  } finally {
    for (const one of services) await one.stop();
  }
});

test("the agreement of a replay without context is the share of notes that depend neither on memory nor on earlier notes", async () => {
  let calls = 0;
  const writer: NoteWriter = {
    name: "remembering",
    write: async (request) => {
      const { drafts } = await spanWriter.write(request);
      // The note of every second batch comes from the memory of earlier batches.
      const before = calls++ % 2 === 0 ? "" : String(request.memory);
      return {
        drafts: drafts.map((draft) => ({ ...draft, text: before || draft.text })),
        memory: "Ada came back",
      };
    },
  };
  await using live = await liveTest({ noteWriters: [writer] });
  await live.service.open("k", { videoId: "v" });
  for (const [n, text] of ["Boats leave", "She sits down", "The tide turns", "He stands up"].entries()) {
    await live.send("k", said(text, n * 20_000, { endMs: n * 20_000 + 4_000 }));
    await live.clock.advance(7_000);
  }
  calls = 0;
  expect(await live.service.replay("k", "model")).toMatchObject({ compared: 4, agreed: 4, agreement: 1 });
  calls = 0;
  const alone = await live.service.replay("k", "model", { context: "none" });
  expect(alone).toMatchObject({ compared: 4, agreed: 2, agreement: 0.5 });
});

test("the agent answers a question from notes and evidence, and its cost is counted; without it, the most similar words are the answer", async () => {
  const prompts: string[] = [];
  const agent: Agent = {
    name: "guide",
    execute: async ({ input }, { onEvent }) => {
      const [block] = input;
      prompts.push(block?.type === "text" ? block.text : "");
      await onEvent({ type: "text", delta: '{"text":"At dusk.","evidence":["e1"],"notes":["n1","n7"]}' });
      return { usage: { inputTokens: 50, outputTokens: 5 } };
    },
  };
  const guide = agentWriter({ agent });
  await using live = await liveTest({ noteWriters: [{ ...guide, write: spanWriter.write }, spanWriter] });
  const sessionId = await play(live);
  const answer = await live.service.ask("k", { question: "When was the lamp lit?", mediaTimeMs: 1_000 });
  expect(answer).toMatchObject({ text: "At dusk.", model: "guide" });
  expect(answer.noteIds).toHaveLength(1);
  expect(prompts[0]).toContain("The owner lit the lamp every dusk");
  expect(prompts[0]).toContain("When was the lamp lit?");
  expect((await live.service.session("k")).cost).toMatchObject({
    modelCalls: 1,
    inputTokens: 50,
    outputTokens: 5,
  });
  expect(await live.service.replay("k", "recorded")).toMatchObject({ agreement: 1 });
  expect((await live.store.verify(sessionId)).ok).toBe(true);

  await live.service.open("plain", { videoId: "v", noteWriter: "span" });
  await live.send("plain", said("The harbour opens at dawn", 1_000));
  await live.clock.advance(7_000);
  const quoted = await live.service.ask("plain", {
    question: "When does the harbour open?",
    mediaTimeMs: null,
  });
  expect(quoted.text).toBe("The harbour opens at dawn");
  expect(quoted.evidence).toHaveLength(1);
});

test("without a model the answer to a question is a whole sentence of captions, or that no sentence is similar", async () => {
  await using live = await liveTest({
    noteWriters: [{ ...spanWriter, write: async () => ({ drafts: [] }) }],
  });
  await live.service.open("k", { videoId: "v" });
  const words = "The queen lays the eggs. The workers feed her at night.".split(" ");
  await live.send("k", ...words.map((word, n) => said(word, n * 400, { endMs: n * 400 + 350 })));
  await live.clock.advance(20_000);
  const ask = (question: string): ReturnType<typeof live.service.ask> =>
    live.service.ask("k", { question, mediaTimeMs: 1_000 });
  expect(await ask("What do the workers do?")).toMatchObject({
    text: "The workers feed her at night.",
    by: "quote",
  });
  expect((await ask("What do the workers do?")).evidence).toHaveLength(6);
  expect(await ask("Who painted the ceiling in Rome?")).toEqual({
    text: "Nothing that was said or noted is like the question.",
    by: "quote",
    evidence: [],
    noteIds: [],
  });
});
