import { ContinuoError, type Store, type StoredEvent } from "@continuo/core/model";
import { onMeasurement } from "@continuo/live";
import { openStore } from "@continuo/store";
import { startRun } from "@continuo/store/sessions";
import { expect, onTestFinished, test } from "vitest";
import { withMethods } from "../intercepted.ts";
import { finding, liveTest, said } from "./live-session.ts";

async function eventsOf(
  store: { read: (id: string) => Promise<{ events: readonly StoredEvent[] }> },
  id: string,
) {
  return (await store.read(id)).events;
}

function steps(events: readonly StoredEvent[]): readonly string[] {
  return events
    .filter(({ type }) => type === "session_state_changed")
    .map(({ data }) => {
      const { from, state } = data as { readonly from: string; readonly state: string };
      return `${from} > ${state}`;
    });
}

test("the same key returns the same session, which input makes active and silence makes idle, and input becomes notes", async () => {
  await using live = await liveTest();
  const { service, store, clock, writer } = live;
  const first = await service.open("tab 1/ä", { videoId: "v1", title: "A talk" });
  expect(first).toEqual({ sessionId: first.sessionId, videoId: "v1", state: "created", created: true });
  expect(await service.open("tab 1/ä", { videoId: "v1" })).toEqual({ ...first, created: false });

  const acknowledged = await live.send("tab 1/ä", said("the harbour opens at dawn", 1_000));
  expect(acknowledged).toMatchObject({ depth: 1, level: "normal", dropped: 0 });
  await live.settle();
  expect((await service.session("tab 1/ä")).state).toBe("active");
  await clock.advance(3_900);
  expect(writer.requests).toHaveLength(0);
  await clock.advance(200);
  expect(writer.requests).toHaveLength(1);

  const session = await service.session("tab 1/ä");
  expect(session).toMatchObject({ depth: 0, state: "active", videoId: "v1", title: "A talk", restarts: 0 });
  expect(session.noteIds).toHaveLength(1);
  expect(session.noteWriter).toBe("scripted");
  // The silence has lasted 4.1 s.
  await clock.advance(25_899);
  expect((await service.session("tab 1/ä")).state).toBe("active");
  await clock.advance(1);
  expect((await service.session("tab 1/ä")).state).toBe("idle");
  const events = await eventsOf(store, first.sessionId);
  expect(steps(events)).toEqual(["created > active", "active > idle"]);
  const note = events.find(({ type }) => type === "note_written");
  expect(note?.data).toMatchObject({ content: "the harbour opens at dawn", mediaTimeMs: 1_000 });
  // The input of a run names sequences, and copies no words.
  const asked = events.filter(({ type }) => type === "run_created");
  expect(JSON.stringify(asked)).not.toContain("harbour");
  expect((await store.verify(first.sessionId)).ok).toBe(true);
});

test("a batch that is sent again is stored once, and a batch that skips a number is refused", async () => {
  await using live = await liveTest();
  const { service, store } = live;
  const { sessionId } = await service.open("k", { videoId: "v" });
  const batch = { producerId: "tab", epoch: 0, sequence: 0, evidence: [said("once")] };
  const first = await service.accept("k", batch);
  const again = await service.accept("k", batch);
  expect(first.sequences).toHaveLength(1);
  expect(again).toMatchObject({ sequences: [], depth: 1 });
  await expect(service.accept("k", { ...batch, sequence: 2 })).rejects.toMatchObject({
    code: "sequence_gap",
  });
  const stored = (await eventsOf(store, sessionId)).filter(({ type }) => type === "transcript_added");
  expect(stored).toHaveLength(1);
});

test("closing a session writes its pending notes and a checkpoint, and the next session of the key names it as its parent", async () => {
  await using live = await liveTest();
  const { service, store } = live;
  const { sessionId } = await service.open("k", { videoId: "v" });
  await live.send("k", said("the last words", 5_000));
  await service.close("k");
  const session = await service.session("k");
  expect(session).toMatchObject({ state: "closed", depth: 0 });
  expect(session.noteIds).toHaveLength(1);
  expect(session.closedAt).not.toBeNull();
  expect((await store.getLatestSnapshot({ logId: sessionId, name: "live" }))?.sequence).toBeGreaterThan(1);
  await expect(live.send("k", said("too late"))).rejects.toMatchObject({ code: "log_closed" });
  await service.close("k");

  const next = await service.open("k", { videoId: "v" });
  expect(next.created).toBe(true);
  expect(next.sessionId).not.toBe(sessionId);
  expect((await service.session("k")).parentId).toBe(sessionId);
  expect(steps(await eventsOf(store, sessionId)).at(-1)).toBe("active > closed");
  await live.send("k", said("a new day", 6_000));
  await live.clock.advance(5_000);
  expect(live.writer.requests.at(-1)?.inherited.map(({ text }) => text)).toEqual(["the last words"]);
});

function withoutCheckpoints(store: Store): Store {
  return withMethods(store, {
    append: (logId, events, options) =>
      events.some(({ type }) => type === "checkpoint_written")
        ? Promise.reject(new ContinuoError("unavailable", "the disk is full"))
        : store.append(logId, events, options),
  });
}

test("closing succeeds if its checkpoint fails, and says so", async () => {
  const store = await openStore("memory:");
  const lines: string[] = [];
  const refusing = withoutCheckpoints(store);
  {
    await using live = await liveTest({ store: refusing, report: (line) => lines.push(line) });
    const { sessionId } = await live.service.open("k", { videoId: "v" });
    await live.send("k", said("the last words", 5_000));
    await live.service.close("k");
    expect(await live.service.session("k")).toMatchObject({ state: "closed", depth: 0 });
    expect(await store.getLatestSnapshot({ logId: sessionId, name: "live" })).toBeNull();
    expect(lines.filter((line) => line.includes("no final checkpoint"))).toHaveLength(1);
    expect(await live.service.notes("k")).toHaveLength(1);
  }
  await store.close();
});

test("three failed checkpoints in a row are reported by one line and one alert", async () => {
  await using store = await openStore("memory:");
  const lines: string[] = [];
  const alerts: unknown[] = [];
  onTestFinished(
    onMeasurement(({ name, attributes }) => {
      if (name === "continuo.live.alerts") alerts.push(attributes);
    }),
  );
  const refusing = withoutCheckpoints(store);
  await using live = await liveTest({ store: refusing, report: (line) => lines.push(line) });
  await live.service.open("k", { videoId: "v" });
  await live.send("k", said("words", 5_000));
  await live.clock.advance(301_000);
  expect((await live.service.session("k")).health.lastCheckpointError).toContain("the disk is full");
  // The second one fails a second later, and the third one two seconds after it.
  expect(alerts).toEqual([]);
  await live.clock.advance(60_000);
  expect(lines.filter((line) => line.includes("3 checkpoints of"))).toHaveLength(1);
  expect(alerts).toEqual([{ reason: "checkpoint_failures" }]);
});

test("all clients and senders, on every server, learn within a second that a session is degraded", async () => {
  await using one = await liveTest();
  await using two = await liveTest({ store: one.store });
  const { sessionId } = await one.service.open("k", { videoId: "v" });
  await one.send("k", said("first", 1_000));
  const heard: string[] = [];
  for (const { service, clock } of [one, two]) {
    const beganMs = clock.now();
    (await service.follow(sessionId)).onEvent(({ type, data }) => {
      const { state } = data as { readonly state?: string };
      if (type === "session_state_changed" && state === "degraded") heard.push(`${clock.now() - beganMs} ms`);
    });
  }
  // A server does this when it finds a gap.
  await one.service.ownerOf(sessionId)?.degrade(finding("the log has a gap after 3"));
  await one.settle();
  await two.settle();
  // No time passed on the clock: nothing waits for a timer.
  expect(heard).toEqual(["0 ms", "0 ms"]);
  for (const { service } of [one, two]) {
    const batch = { producerId: "tab", epoch: 0, sequence: 0, evidence: [said("refused")] };
    await expect(service.accept("k", batch)).rejects.toMatchObject({ code: "degraded" });
  }
});

test("a batch whose writer fails is tried 3 more times; then the extractive writer stands in until the writer works again", async () => {
  await using live = await liveTest();
  const { service, clock, writer } = live;
  await service.open("k", { videoId: "v" });
  writer.failures = 4;
  await live.send("k", said("The harbour opens at dawn when the bell rings", 1_000, { endMs: 4_000 }));
  await clock.advance(4_000);
  expect(writer.requests).toHaveLength(1);
  await clock.advance(7_000);
  expect(writer.requests).toHaveLength(4);
  const failed = await service.session("k");
  expect(failed).toMatchObject({ depth: 0, level: "normal" });
  expect(failed.health.standIn).toBe(
    "The note writer scripted does not work (scripted failed: the model is away). Until it works again, notes are made without a model.",
  );
  await live.send("k", said("Boats leave with the tide", 60_000, { endMs: 63_000 }));
  await clock.advance(6_000);
  expect(writer.requests).toHaveLength(4);
  await clock.advance(40_000);
  await live.send("k", said("The lamp is lit at dusk", 120_000, { endMs: 123_000 }));
  await clock.advance(20_000);
  // The writer first receives the evidence again for which the stand-in wrote notes, and then the new evidence.
  expect(writer.requests.slice(4).map(({ evidence }) => evidence.length)).toEqual([2, 1]);
  expect((await service.session("k")).health.standIn).toBeNull();
  const texts = (await service.notes("k")).map(({ text }) => text);
  expect(texts.map((text) => text.split(" ")[1])).toEqual(["harbour", "leave", "lamp"]);
  expect(await service.replay("k", "recorded")).toMatchObject({ agreement: 1 });
});

test("the level falls again even if the note writer always fails, and the server can set the levels", async () => {
  const levels = { normal: 2, warning: 3, critical: 5 };
  await using live = await liveTest({ levels });
  const { service, writer } = live;
  writer.failures = Number.POSITIVE_INFINITY;
  await service.open("k", { videoId: "v" });
  for (let n = 0; n < 6; n++)
    await live.send("k", said(`The boat number ${n} leaves with the tide.`, n * 4_000));
  await live.settle();
  expect((await service.session("k")).level).toBe("critical");
  await live.clock.advance(60_000);
  const session = await service.session("k");
  expect([session.level, session.depth]).toEqual(["normal", 0]);
  expect(session.health.standIn).toContain("scripted");
  expect((await service.notes("k")).length).toBeGreaterThan(0);
});

test("a writer that hangs does not delay the end of a session beyond 10 seconds, and its notes are written without it", async () => {
  const writer = { name: "hanging", write: (): Promise<never> => new Promise(() => undefined) };
  await using live = await liveTest({ noteWriters: [writer] });
  const { service } = live;
  await service.open("k", { videoId: "v" });
  await live.send("k", said("The harbour opens at dawn when the bell rings", 1_000, { endMs: 4_000 }));
  const beganMs = performance.now();
  await service.close("k");
  expect(performance.now() - beganMs).toBeLessThan(10_000);
  expect((await service.session("k")).state).toBe("closed");
  expect(await service.notes("k")).toHaveLength(1);
}, 60_000);

test("a checkpoint is written after 5 minutes of activity, and none while nothing is appended", async () => {
  await using live = await liveTest();
  const { service, store, clock } = live;
  const { sessionId } = await service.open("k", { videoId: "v" });
  await live.send("k", said("one"));
  await clock.advance(301_000);
  const count = async (): Promise<number> =>
    (await eventsOf(store, sessionId)).filter(({ type }) => type === "checkpoint_written").length;
  expect(await count()).toBe(1);
  expect((await service.session("k")).state).toBe("checkpointed");
  await clock.advance(1_200_000);
  expect(await count()).toBe(1);
});

test("levels are recorded as the depth grows and falls", async () => {
  await using live = await liveTest();
  const { service, store, writer, clock } = live;
  const { sessionId } = await service.open("k", { videoId: "v" });
  writer.failures = 4;
  for (let n = 0; n < 12; n++) {
    await live.send("k", ...Array.from({ length: 10 }, (_, m) => said(`word ${n} ${m}`, n * 100)));
    await live.settle();
  }
  expect(await service.session("k")).toMatchObject({ depth: 120, level: "critical" });
  await clock.advance(60_000);
  expect(await service.session("k")).toMatchObject({ depth: 0, level: "normal" });
  const levels = (await eventsOf(store, sessionId)).flatMap(({ type, data }) => {
    const { level } = data as { readonly level?: string };
    return type === "session_state_changed" && level !== undefined ? [level] : [];
  });
  expect(levels).toEqual(["warning", "critical", "normal"]);
});

test("the clean-up ends a session that had no input for an hour, once, and a ping restarts the hour", async () => {
  await using live = await liveTest();
  const { service, store, clock } = live;
  const { sessionId } = await service.open("quiet", { videoId: "v" });
  await service.open("pinged", { videoId: "v" });
  await live.send("quiet", said("The harbour opens at dawn"));
  await clock.advance(3_000_000);
  await service.ping("pinged");
  expect(await service.cleanUp()).toBe(0);
  await clock.advance(700_000);
  expect(await service.cleanUp()).toBe(1);
  expect(await service.cleanUp()).toBe(0);
  expect((await service.session("quiet")).state).toBe("closed");
  expect((await service.session("pinged")).state).not.toBe("closed");
  // The session is complete: its notes are written, and its last checkpoint covers all events before the end.
  expect(await service.notes("quiet")).toHaveLength(1);
  const types = (await eventsOf(store, sessionId)).map(({ type }) => type);
  expect(types.lastIndexOf("checkpoint_written")).toBeGreaterThan(types.lastIndexOf("note_written"));
  expect(steps(await eventsOf(store, sessionId)).filter((step) => step.endsWith("closed"))).toHaveLength(1);
  await expect(service.ping("quiet")).rejects.toMatchObject({ code: "log_closed" });
});

test("a service that restarts finds the same session from its snapshot, and from the log when all snapshots are lost", async () => {
  await using live = await liveTest();
  const { service, store, clock } = live;
  const { sessionId } = await service.open("k", { videoId: "v" });
  await live.send("k", said("first", 1_000));
  await clock.advance(301_000);
  await live.send("k", said("second", 2_000));
  await clock.advance(10_000);
  const before = await service.session("k");
  await service.stop();

  for (const snapshots of ["kept", "lost"] as const) {
    if (snapshots === "lost") await store.deleteSnapshots({ logId: sessionId });
    await using again = await liveTest({ store });
    const after = await again.service.session("k");
    expect(after).toEqual(before);
    expect(before.noteIds).toHaveLength(2);
  }
});

test("a snapshot with another hash degrades the session: input is refused until a repair has verified the log", async () => {
  await using live = await liveTest();
  const { service, store, clock } = live;
  const { sessionId } = await service.open("k", { videoId: "v" });
  await live.send("k", said("first", 1_000));
  await clock.advance(301_000);
  await service.stop();
  const snapshot = await store.getLatestSnapshot({ logId: sessionId, name: "live" });
  const data = structuredClone(snapshot?.data) as { fold: { lastInput: number } };
  data.fold.lastInput = 99;
  await store.putSnapshot({ logId: sessionId, name: "live", sequence: snapshot?.sequence ?? 0, data });

  await using again = await liveTest({ store });
  expect((await again.service.session("k")).state).toBe("degraded");
  await again.settle();
  const batch = { producerId: "tab 2", epoch: 0, sequence: 0, evidence: [said("refused")] };
  await expect(again.service.accept("k", batch)).rejects.toMatchObject({ code: "degraded" });
  expect((await again.service.session("k")).health.degradedReason).toContain("hash");
  await expect.poll(async () => (await store.getSession(sessionId))?.status).toBe("degraded");

  await again.service.repair("k");
  await again.settle();
  expect(["active", "checkpointed"]).toContain((await again.service.session("k")).state);
  expect(await again.service.accept("k", batch)).toMatchObject({ depth: 1 });
  const states = steps(await eventsOf(store, sessionId)).filter((step) => step !== "degraded > degraded");
  expect(states.slice(-2)).toEqual(["idle > degraded", "degraded > active"]);
  await expect(again.service.repair("k")).rejects.toMatchObject({ code: "invalid_transition" });
});

test("a fault is recorded even if the lease changes its owner at that moment", async () => {
  await using live = await liveTest();
  const { service, store, clock } = live;
  const { sessionId } = await service.open("k", { videoId: "v" });
  await live.send("k", said("first", 1_000));
  await clock.advance(301_000);
  await service.stop();
  const snapshot = await store.getLatestSnapshot({ logId: sessionId, name: "live" });
  const data = structuredClone(snapshot?.data) as { fold: { lastInput: number } };
  data.fold.lastInput = 99;
  await store.putSnapshot({ logId: sessionId, name: "live", sequence: snapshot?.sequence ?? 0, data });

  let refused = 0;
  const append: Store["append"] = async (logId, events, options) => {
    const isFault = events.some(({ data }) => (data as { readonly state?: string }).state === "degraded");
    if (isFault && refused++ === 0)
      throw new ContinuoError("fenced", "the lease was granted to another holder");
    return store.append(logId, events, options);
  };
  const busy: Store = new Proxy(store, {
    get: (target, name) => {
      const value = name === "append" ? append : Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  await using again = await liveTest({ store: busy });
  expect((await again.service.session("k")).state).toBe("degraded");
  await expect.poll(() => refused).toBeGreaterThan(0);
  await expect
    .poll(async () => {
      await again.clock.advance(1_000);
      return (await store.getSession(sessionId))?.status;
    })
    .toBe("degraded");
});

test("one of two services on a store owns the session, and after a take-over the store refuses writes of the old owner", async () => {
  await using one = await liveTest();
  await using two = await liveTest({ store: one.store });
  const { sessionId } = await one.service.open("k", { videoId: "v" });
  expect(one.service.ownerOf(sessionId)).toBeDefined();
  const { sessionId: same } = await two.service.open("k", { videoId: "v" });
  expect(same).toBe(sessionId);
  const old = one.service.ownerOf(sessionId);
  // Closing makes the other server the owner.
  await two.service.close("k");
  await expect(old?.append([{ type: "decision_made", data: { decisionId: "late" } }])).rejects.toMatchObject({
    code: "fenced",
  });
  expect(one.service.ownerOf(sessionId)).toBeUndefined();
});

test("a server that is granted a session twice at the same time owns it, in whichever order the grants arrive", async () => {
  const memory = await openStore("memory:");
  await using gone = await liveTest({ store: memory });
  await gone.service.start();
  const { sessionId } = await gone.service.open("k", { videoId: "v" });
  await gone.service.stop();
  // The search for abandoned sessions is granted the session first, and its owner is ready last.
  const first = Promise.withResolvers<void>();
  let asked = 0;
  const getClaim: Store["getClaim"] = async (name) => {
    const claim = await memory.getClaim(name);
    if (name.endsWith(sessionId) && name.startsWith("live/removed") && ++asked === 1) await first.promise;
    return claim;
  };
  const store = withMethods(memory, { getClaim });
  await using live = await liveTest({ store });
  await live.service.start();
  await expect.poll(() => asked).toBe(1);
  await live.send("k", said("at once"));
  await expect.poll(() => live.service.ownerOf(sessionId)).toBeDefined();
  first.resolve();
  await live.settle();
  await live.clock.advance(4_100);
  expect(await live.service.session("k")).toMatchObject({ depth: 0 });
});

test("runs that dead owners left behind do not delay the next owner", async () => {
  await using live = await liveTest();
  const { service, store, clock } = live;
  const { sessionId } = await service.open("k", { videoId: "v" });
  for (let n = 0; n < 32; n++) await startRun(store, sessionId, "left behind", { agent: "scripted" });
  await live.send("k", said("at once"));
  await clock.advance(4_100);
  await expect.poll(async () => (await service.session("k")).depth).toBe(0);
  expect((await service.session("k")).health.lastError).toBeNull();
  expect((await store.listRuns({ sessionId, status: "pending" })).items).toEqual([]);
});

test("another key can join the session", async () => {
  await using live = await liveTest();
  const { service } = live;
  const { sessionId } = await service.open("tab 1", { videoId: "v" });
  await service.open("tab 2", { videoId: "v" });
  await service.join("tab 1", "tab 2");
  await service.join("tab 1", "tab 2");
  expect(await service.sessionIdOf("tab 2")).toBe(sessionId);
  const { items } = await service.list();
  expect(items.map(({ keys }) => keys?.toSorted())).toEqual([["tab 1", "tab 2"]]);
});

test("a reader shows a session whose owner is gone, and leaves it as it is", async () => {
  await using store = await openStore("memory:");
  {
    await using owner = await liveTest({ store });
    await owner.service.open("k", { videoId: "v" });
    await owner.send("k", said("the harbour opens at dawn"));
    await owner.settle();
  }
  await using reader = await liveTest({ store, role: "reader" });
  await reader.service.start();
  const { sessionId, state, depth, noteWriter } = await reader.service.session("k");
  // The note writers belong to another server, so the reader cannot name one.
  expect({ state, depth, noteWriter }).toEqual({ state: "active", depth: 1, noteWriter: undefined });
  const before = await store.latestSequence(sessionId);
  const leases = await store.listLeases({ prefix: "live/" });
  // This is long enough for a take-over, a batch, silence and the end of an unused session.
  await reader.clock.advance(3 * 3_600_000);
  expect(await reader.service.cleanUp()).toBe(0);
  expect(reader.writer.requests).toEqual([]);
  expect(await store.latestSequence(sessionId)).toBe(before);
  expect((await store.listLeases({ prefix: "live/" })).items.map(({ name }) => name)).toEqual(
    leases.items.map(({ name }) => name),
  );
});

test("a decision that was stored, but whose answer was lost, is not made again", async () => {
  await using real = await openStore("memory:");
  let lost = 0;
  const append: Store["append"] = async (logId, events, options) => {
    const stored = await real.append(logId, events, options);
    if (!events.some(({ type }) => type === "decision_made") || lost > 0) return stored;
    lost++;
    throw new ContinuoError("unavailable", "the connection was lost");
  };
  const store = new Proxy(real, {
    get: (target, name) => {
      if (name === "append") return append;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  await using live = await liveTest({ store });
  const { sessionId } = await live.service.open("k", { videoId: "v" });
  await live.send("k", said("words"));
  await live.clock.advance(20_000);
  expect([lost, live.writer.requests.length]).toEqual([1, 1]);
  const types = (await eventsOf(real, sessionId)).map(({ type }) => type);
  expect(types.filter((type) => type === "decision_made" || type === "note_written")).toHaveLength(2);
});
