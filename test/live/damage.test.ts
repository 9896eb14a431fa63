/**
 * A session's log with damage: intact events stay visible, events that depend on the damage are marked, and a repair
 * puts the damage in quarantine.
 */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Store, StoredEvent } from "@continuo/core/model";
import { LiveService, onMeasurement } from "@continuo/live";
import { openStore } from "@continuo/store";
import { expect, onTestFinished, test } from "vitest";
import { withMethods } from "../intercepted.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { finding, type LiveTest, liveTest, said } from "./live-session.ts";
import { allEvents } from "./servers.ts";

const TALK = ["The harbour opens at dawn", "Boats leave with the tide", "The lamp is lit at dusk"];

interface Damaged extends LiveTest {
  readonly file: string;
  readonly sessionId: string;
  readonly events: readonly StoredEvent[];
}

/** A session with three notes, one for each sentence, in a file that the test changes. */
async function watched({
  file = join(scratchFolder("damage"), "store.db"),
  ...more
}: Parameters<typeof liveTest>[0] & { readonly file?: string } = {}): Promise<Damaged> {
  const store = more.store ?? (await openStore(`sqlite:${file}`));
  onTestFinished(() => store.close());
  const live = await liveTest({ ...more, store });
  onTestFinished(() => live.service.stop());
  const { sessionId } = await live.service.open("k", { videoId: "v", title: "Harbour" });
  for (const [n, text] of TALK.entries()) {
    await live.send("k", said(text, n * 20_000, { endMs: n * 20_000 + 3_000 }));
    await live.clock.advance(20_000);
  }
  await live.settle();
  return Object.assign(live, { file, sessionId, events: await allEvents(store, sessionId) });
}

function change(file: string, sql: string, ...values: readonly (string | number)[]): void {
  const database = new DatabaseSync(file);
  database.exec("pragma busy_timeout = 5000");
  database.prepare(sql).run(...values);
  database.close();
}

function sequenceOf(events: readonly StoredEvent[], type: string, nth = 0): number {
  return events.filter((event) => event.type === type)[nth]?.sequence ?? 0;
}

const FORGE =
  "update events set payload = replace(payload, 'tide', 'king') where sequence = ? and payload like ?";

function forge({ file, events }: Damaged): number {
  const sequence = sequenceOf(events, "transcript_added", 1);
  change(file, FORGE, sequence, "%tide%");
  return sequence;
}

async function texts({ service }: LiveTest): Promise<readonly string[]> {
  return (await service.notes("k")).map(({ text }) => text);
}

test("after a verification that finds a changed transcript, the session is degraded, refuses input, and shows all notes", async () => {
  const live = await watched();
  const sequence = forge(live);
  const result = await live.service.verify("k");
  expect(result).toMatchObject({ ok: false, firstBadSequence: sequence });
  const session = await live.service.session("k");
  expect(session.state).toBe("degraded");
  expect(session.health).toMatchObject({
    degradedReason: expect.stringContaining(`event ${sequence}`),
    degradedAt: expect.stringContaining("T"),
    damaged: [{ sequence, through: sequence, type: "transcript_added", status: "found" }],
  });
  await expect(live.send("k", said("more", 90_000))).rejects.toMatchObject({ code: "degraded" });
  expect(await texts(live)).toEqual(TALK);
  expect((await live.service.notes("k")).map(({ damaged }) => damaged)).toEqual([
    undefined,
    [sequence],
    undefined,
  ]);
});

test("a session is degraded within a second after a verification finds the damage, without waiting for a timer", async () => {
  const lateMs: number[] = [];
  // A busy machine may be late once.
  for (let n = 0; n < 3; n++) {
    let foundMs = Number.POSITIVE_INFINITY;
    const file = join(scratchFolder("degraded-soon"), "store.db");
    const real = await openStore(`sqlite:${file}`);
    const store = withMethods(real, {
      verify: async (...given: Parameters<Store["verify"]>) => {
        const result = await real.verify(...given);
        foundMs = Math.min(foundMs, performance.now());
        return result;
      },
    });
    const live = await watched({ store, file });
    let degradedMs = Number.POSITIVE_INFINITY;
    (await live.service.follow(live.sessionId)).onEvent(({ type, data }) => {
      const { state } = data as { readonly state?: string };
      if (type === "session_state_changed" && state === "degraded") degradedMs = performance.now();
    });
    forge(live);
    const beganMs = live.clock.now();
    expect((await live.service.verify("k")).ok).toBe(false);
    await expect(live.send("k", said("more", 90_000))).rejects.toMatchObject({ code: "degraded" });
    expect(live.clock.now()).toBe(beganMs);
    lateMs.push(degradedMs - foundMs);
  }
  expect(Math.min(...lateMs), lateMs.join(", ")).toBeLessThanOrEqual(1_000);
});

test("a changed transcript is not served as evidence, even before a verification finds it", async () => {
  const live = await watched();
  const sequence = forge(live);
  const [event] = (await live.service.soundStore.read(live.sessionId, { after: sequence - 1, limit: 1 }))
    .events;
  expect(event).toMatchObject({ sequence, data: null, damaged: expect.stringContaining("hash") });
  await expect.poll(async () => (await live.service.session("k")).state).toBe("degraded");
});

const UNREADABLE =
  "update events set payload = substr(payload, 2) where sequence = ? and payload like '%tide%'";
const UNCHAINED =
  "update events set occurred_at = '2020-01-01T00:00:00.000Z' where sequence = ? and payload like '%tide%'";
const DELETED = "delete from events where sequence = ? and payload like '%tide%'";

test.each([
  ["whose row cannot be read", UNREADABLE, "transcript_added"],
  ["of another time", UNCHAINED, "transcript_added"],
  ["that is missing", DELETED, "transcript_added"],
])("a transcript %s hides no note, and a repair puts it in quarantine for good", async (_name, sql) => {
  const live = await watched();
  const sequence = sequenceOf(live.events, "transcript_added", 1);
  change(live.file, sql, sequence);
  await live.service.stop();

  await using again = await liveTest({ store: live.store });
  expect((await again.service.verify("k")).ok).toBe(false);
  expect((await again.service.session("k")).state).toBe("degraded");
  expect(await texts(again)).toEqual(TALK);
  expect((await again.service.notes("k"))[1]?.damaged).toEqual([sequence]);

  expect((await again.service.repair("k")).map((one) => one.sequence)).toEqual([sequence]);
  const session = await again.service.session("k");
  expect(session.health).toMatchObject({ degradedReason: null, degradedAt: null });
  expect(session.health.damaged).toMatchObject([{ sequence, status: "quarantined" }]);
  expect(await again.service.verify("k")).toMatchObject({ ok: true, quarantinedCount: 1 });
  expect(await again.service.replay("k", "recorded")).toMatchObject({ agreement: 1 });
  const { events } = await again.service.soundStore.read(live.sessionId, { types: ["event_quarantined"] });
  expect(events.map(({ data }) => (data as { sequence: number }).sequence)).toEqual([sequence]);
  const evidence = [said("The night watch begins", 80_000)];
  await again.service.accept("k", { producerId: "another", epoch: 0, sequence: 0, evidence });
  await again.clock.advance(20_000);
  expect(await texts(again)).toEqual([...TALK, "The night watch begins"]);
  await again.service.stop();

  await using later = await liveTest({ store: live.store });
  expect((await later.service.session("k")).state).not.toBe("degraded");
  expect((await later.service.notes("k"))[1]?.damaged).toEqual([sequence]);
});

test("a server that starts on a degraded log does not write another state to it, and a deleted degraded session is closed", async () => {
  const live = await watched();
  await live.service.start();
  forge(live);
  await live.service.verify("k");
  await live.service.stop();

  const again = new LiveService({ store: live.store });
  onTestFinished(() => again.stop());
  await again.start();
  await expect.poll(() => again.ownerOf(live.sessionId) !== undefined, { timeout: 20_000 }).toBe(true);
  await expect.poll(async () => (await again.session("k")).restarts, { timeout: 20_000 }).toBe(1);
  const states = (await allEvents(live.store, live.sessionId)).flatMap(({ type, data }) =>
    type === "session_state_changed" ? [(data as { state: string }).state] : [],
  );
  expect(states.slice(states.indexOf("degraded"))).toEqual(["degraded", "degraded"]);
  await again.close("k");
  expect((await again.session("k")).state).toBe("closed");
  expect((await again.list()).items[0]?.state).toBe("closed");
  expect((await live.store.getSession(live.sessionId))?.status).toBe("closed");
  await expect(
    again.accept("k", { producerId: "p", epoch: 0, sequence: 0, evidence: [said("x")] }),
  ).rejects.toMatchObject({ code: "log_closed" });
});

test("the repair of an ended session is recorded in a secondary log, and the session stays ended and otherwise unchanged", async () => {
  const live = await watched();
  await live.service.close("k");
  const alerts: unknown[] = [];
  onTestFinished(
    onMeasurement(({ name, attributes }) => {
      if (name === "continuo.live.alerts") alerts.push(attributes);
    }),
  );
  const sequence = forge(live);
  expect(await live.service.verify("k")).toMatchObject({ ok: false, firstBadSequence: sequence });
  // Each reader finds the damage again: one alert is enough.
  await live.service.verify("k");
  expect(alerts).toEqual([{ reason: "damaged" }]);
  const damaged = await live.service.session("k");
  expect(damaged).toMatchObject({
    state: "closed",
    health: { degradedReason: expect.stringContaining("hash"), degradedAt: expect.stringContaining("T") },
  });
  expect(await texts(live)).toEqual(TALK);

  expect((await live.service.repair("k")).map((one) => one.sequence)).toEqual([sequence]);
  const check = async (service: LiveService): Promise<void> => {
    const session = await service.session("k");
    expect(session.state).toBe("closed");
    expect(session.health).toMatchObject({
      degradedReason: null,
      degradedAt: null,
      damaged: [{ sequence, status: "quarantined" }],
    });
    expect((await service.notes("k")).map(({ text, damaged: marks }) => [text, marks])).toEqual([
      [TALK[0], undefined],
      [TALK[1], [sequence]],
      [TALK[2], undefined],
    ]);
    expect(await service.verify("k")).toMatchObject({ ok: true, quarantinedCount: 1 });
    expect(await service.replay("k", "recorded")).toMatchObject({ agreement: 1 });
    await expect(service.repair("k")).rejects.toMatchObject({ code: "invalid_transition" });
  };
  await check(live.service);
  await live.service.stop();
  await using later = await liveTest({ store: live.store });
  await check(later.service);
  expect(await later.service.deleteVideo("v")).toBe(1);
  expect(await live.store.getSession(`${live.sessionId}.repairs`)).toBeNull();
});

test("the first event of a log may be damaged: the session keeps its key, its video and its title", async () => {
  const live = await watched();
  change(live.file, "update events set payload = replace(payload, 'Harbour', 'Airport') where sequence = 1");
  await live.service.verify("k");
  const session = await live.service.session("k");
  expect(session).toMatchObject({ state: "degraded", videoId: "v", title: "Harbour" });
  expect(await texts(live)).toEqual(TALK);
});

test("a repair is kept when its server takes the session over from a dead server at the same time", async () => {
  const live = await watched();
  await live.service.start();
  await live.service.ownerOf(live.sessionId)?.degrade(finding("the test says so"));
  await live.service.stop();

  // The scan of the server has listed the session when the repair takes it, and asks for it before the repair is
  // stored.
  const repaired = Promise.withResolvers<unknown>();
  const writes = Promise.withResolvers<void>();
  const listLeases: Store["listLeases"] = async (request) => {
    const page = await live.store.listLeases(request);
    if (request?.prefix !== "live/session/" || page.items.length === 0) return page;
    again.service.repair("k").then(repaired.resolve, repaired.reject);
    await writes.promise;
    return page;
  };
  const append: Store["append"] = async (logId, events, options) => {
    if (JSON.stringify(events).includes('"state":"active"')) {
      writes.resolve();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return live.store.append(logId, events, options);
  };
  const store = withMethods(live.store, { listLeases, append });
  await using again = await liveTest({ store });
  expect((await again.service.session("k")).state).toBe("degraded");
  await again.service.start();
  await repaired.promise;
  await again.settle();
  expect(["active", "checkpointed"]).toContain((await again.service.session("k")).state);
  expect(again.service.ownerOf(live.sessionId)?.isOver).toBe(false);
});

test("a server that starts after the bytes were restored does not report the old damage, and the repair that follows is kept", async () => {
  const live = await watched();
  await live.service.start();
  const sequence = forge(live);
  expect((await live.service.verify("k")).ok).toBe(false);
  await live.service.stop();
  change(
    live.file,
    "update events set payload = replace(payload, 'king', 'tide') where sequence = ?",
    sequence,
  );

  await using again = await liveTest({ store: live.store });
  const follower = await again.service.follow(live.sessionId);
  await again.service.start();
  await expect.poll(() => follower.fold.restarts).toBe(1);
  await again.settle();
  expect([follower.fault, follower.damages, follower.fold.state]).toEqual([null, [], "degraded"]);
  expect(follower.fold.damaged).toMatchObject([{ sequence }]);

  expect(await again.service.repair("k")).toEqual([]);
  await again.settle();
  const session = await again.service.session("k");
  expect(["active", "checkpointed"]).toContain(session.state);
  expect(session.health).toMatchObject({ degradedReason: null, damaged: [] });
});

test("neither an older finding nor an owner's earlier observation degrades a session that was repaired", async () => {
  const live = await watched();
  const { sequence: foundAt } = (await live.service.follow(live.sessionId)).fold;
  await live.service.ownerOf(live.sessionId)?.degrade(finding("the test says so"));
  await live.service.repair("k");
  const owner = live.service.ownerOf(live.sessionId);
  const state = async (): Promise<string> => (await live.service.session("k")).state;
  await owner?.degrade({ reason: "found before the repair", damages: [], foundAt });
  const seen = { state: "degraded", from: "degraded", restart: true };
  await owner?.append([{ type: "session_state_changed", data: seen }]);
  await live.settle();
  expect(["active", "checkpointed"]).toContain(await state());
  await owner?.degrade(finding("found after it"));
  expect(await state()).toBe("degraded");
});
