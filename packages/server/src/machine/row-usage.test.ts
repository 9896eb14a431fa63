import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { type ListedSession, type Prices, shippedPrices, usageOfAll } from "@continuo/agents/catalog";
import type { SessionHead } from "@continuo/core/wire/machine";
import type { PlacesAt } from "@continuo/files";
import { expect, test, vi } from "vitest";
import { CLAUDE_ID, claudeFile, claudeText, cleanEnv, createHome } from "../../../../test/cli/home.ts";
import { createKnownFacts, type KnownFacts } from "./known-facts.ts";
import { MACHINE_LIMITS } from "./limits.ts";
import type { MachineOptions } from "./options.ts";
import { createRowUsages, oneAtATime, type RowUsage, type RowUsages, withUsage } from "./row-usage.ts";
import { createRowSource } from "./rows.ts";

const KEY = `claude:${CLAUDE_ID}`;

/** A prompt and its answer by a model. */
function turn(name: string, model: string, hour: string, parent: string | null): string {
  const content = [{ type: "text", text: "Yes." }];
  return claudeText(CLAUDE_ID, [
    { uuid: `${name}1`, parent, role: "user", content: `Ask ${name}`, time: `${hour}:00:00` },
    { uuid: `${name}2`, parent: `${name}1`, role: "assistant", content, time: `${hour}:00:01` },
  ])
    .replace("model-a", model)
    .replace("msg_1", `msg_${name}`);
}

test("a row shows the usage of its session in its present form, with the model that was used last", async () => {
  using home = createHome();
  home.write(claudeFile(CLAUDE_ID), turn("a", "model-old", "10", null) + turn("b", "model-new", "11", "a2"));
  const places: PlacesAt = { home: home.path, cwd: home.path, env: cleanEnv(home.path) };
  const prices = async (): Promise<Prices> => ({ own: {}, list: shippedPrices() });
  const options = { places, prices } as unknown as MachineOptions;
  const usages = createRowUsages(options, createKnownFacts(places));
  const rowNow = async () => {
    const row = (await createRowSource(places).rows()).byKey.get(KEY)?.row;
    if (row === undefined) throw new Error("the session is not listed");
    return row;
  };
  const first = await rowNow();
  expect(usages.of(first).turns).toBeNull();
  usages.want([first], "read");
  await expect.poll(() => usages.of(first)).toMatchObject({ turns: 2, tokens: 2_040, model: "model-new" });
  appendFileSync(join(home.path, claudeFile(CLAUDE_ID)), turn("c", "model-old", "12", "b2"));
  const grown = await rowNow();
  // Nothing is known about the present form of the session until it is read.
  expect(usages.of(grown).turns).toBeNull();
  usages.want([grown], "read");
  await expect.poll(() => usages.of(grown)).toMatchObject({ turns: 3, tokens: 3_060, model: "model-old" });
  // A prompt without an answer has no model, so the model of the answer before it stays.
  const asked = claudeText(CLAUDE_ID, [
    { uuid: "d1", parent: "c2", role: "user", content: "Ask d", time: "13:00:00" },
  ]);
  appendFileSync(join(home.path, claudeFile(CLAUDE_ID)), asked);
  expect(await usages.read(await rowNow())).toMatchObject({ turns: 4, model: "model-old" });
  usages.close();
});

test("a row of the list has what is known of its session now, and is the same object until that changes", async () => {
  using home = createHome();
  home.write(claudeFile(CLAUDE_ID), turn("a", "model-old", "10", null));
  const rows = await createRowSource({ home: home.path, cwd: home.path, env: cleanEnv(home.path) }).rows();
  const shown = [...rows.byKey.values()].map((one) => one.shown);
  const known = (turns: number): RowUsage => ({
    model: null,
    turns,
    tokens: null,
    costUsd: null,
    facts: null,
  });
  const listed = (usage: RowUsage) => {
    const usages = { want: () => undefined, of: () => usage } as unknown as RowUsages;
    return withUsage(shown, rows, { usages, figures: "indexed" })[0];
  };
  const first = known(1);
  const before = listed(first);
  expect([before?.turns, listed(first) === before, listed(known(2))?.turns]).toEqual([1, true, 2]);
});

const OTHER_ID = "4bf3c2a1-0000-4000-8000-0000000000ff";
const UNKNOWN = { model: null, turns: null, tokens: null, costUsd: null, facts: null };

interface Usages {
  readonly usages: RowUsages;
  readonly rows: readonly ListedSession[];
  readonly places: PlacesAt;
  /** The number of times that work on the usages began: each begins by reading the prices. */
  readonly begun: () => number;
}

/** Two sessions of one agent: one of two models, and one of one. */
async function usagesOf(
  home: ReturnType<typeof createHome>,
  { facts, prices }: { readonly facts?: KnownFacts; readonly prices?: () => Promise<void> } = {},
): Promise<Usages> {
  home.write(claudeFile(CLAUDE_ID), turn("a", "model-old", "10", null) + turn("b", "model-new", "11", "a2"));
  home.write(claudeFile(OTHER_ID), turn("z", "model-new", "12", null).replaceAll(CLAUDE_ID, OTHER_ID));
  const places: PlacesAt = { home: home.path, cwd: home.path, env: cleanEnv(home.path) };
  const own = { "model-old": { input: 1_000, output: 0 }, "model-new": { input: 2_000, output: 0 } };
  let begun = 0;
  const readPrices = async (): Promise<Prices> => {
    begun += 1;
    await prices?.();
    return { own, list: shippedPrices() };
  };
  const options = { places, prices: readPrices } as unknown as MachineOptions;
  const usages = createRowUsages(options, facts ?? createKnownFacts(places));
  const { byKey } = await createRowSource(places).rows();
  const rows = [KEY, `claude:${OTHER_ID}`].flatMap((key) => byKey.get(key)?.row ?? []);
  expect(rows).toHaveLength(2);
  return { usages, rows, places, begun: () => begun };
}

test("each row has its own usage, with the cost of all its models, from the time at which it was found", async () => {
  using home = createHome();
  const { usages, rows } = await usagesOf(home);
  const [first, second] = rows as [ListedSession, ListedSession];
  const before = performance.now();
  const usage = await usages.read(first);
  // A thousand tokens of each model, by its own price.
  expect(usage).toMatchObject({ turns: 2, model: "model-new", costUsd: 3, facts: { lastWords: "Yes." } });
  expect([usages.of(first), usages.at(first, performance.now())]).toEqual([usage, usage]);
  expect([usages.at(first, before), usages.of(second)]).toEqual([UNKNOWN, UNKNOWN]);
  expect(usages.of({ ...first, updatedAt: "2026-01-01T00:00:00.000Z" })).toEqual(UNKNOWN);
  const gone = {
    ...first,
    sessionId: "4bf3c2a1-0000-4000-8000-00000000dead",
    location: `${first.location}.gone`,
  };
  expect(await usages.read(gone)).toEqual(UNKNOWN);
  usages.close();
});

test("a session that is too long to be read for its row has the figures of its last read", async () => {
  using home = createHome();
  const known = { model: "model-old", turns: 900, tokens: 9, costUsd: 1, facts: { lastWords: "End." } };
  const head = { session: { ...known, title: "T" } } as unknown as SessionHead;
  const of = async () => ({ head, outline: null });
  const facts = { of, keep: () => undefined, settled: async () => undefined };
  const { usages, rows } = await usagesOf(home, { facts });
  const [long] = rows.map((row) => ({ ...row, sizeBytes: MACHINE_LIMITS.usageBytes + 1 }));
  if (long === undefined) throw new Error("there is a row");
  expect(await usages.read(long)).toEqual(UNKNOWN);
  usages.want([long], "read");
  await expect.poll(() => usages.of(long)).toEqual(known);
  expect(await usages.read(long)).toEqual(known);
  usages.close();
});

test("what only the statistics have read is shown at once, and its facts follow when the row is read", async () => {
  using home = createHome();
  const { usages, rows, places } = await usagesOf(home);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
  try {
    await usageOfAll({ places });
    const [first] = rows as [ListedSession];
    usages.want([first], "indexed");
    await expect.poll(() => usages.of(first)).toMatchObject({ turns: 2, facts: null });
    usages.want([first], "read");
    await expect.poll(() => usages.of(first)).toMatchObject({ turns: 2, facts: { lastWords: "Yes." } });
  } finally {
    vi.useRealTimers();
  }
  usages.close();
});

test("a row that the index lacks is looked up again some time later, and not at once", async () => {
  using home = createHome();
  const { usages, rows, places, begun } = await usagesOf(home);
  const [first, second] = rows as [ListedSession, ListedSession];
  vi.useFakeTimers({ toFake: ["Date", "performance"], now: Date.now() + 86_400_000 });
  try {
    await usageOfAll({ places });
    appendFileSync(first.location, turn("c", "model-new", "12", "b2"));
    usages.want([first, second], "indexed");
    await expect.poll(() => usages.of(second).turns).toBe(1);
    for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve));
    usages.want([first], "indexed");
    expect([begun(), usages.of(first)]).toEqual([1, UNKNOWN]);
    vi.advanceTimersByTime(MACHINE_LIMITS.lookAgainMs + 1);
    usages.want([first], "indexed");
    expect(begun()).toBe(2);
  } finally {
    vi.useRealTimers();
  }
  usages.close();
});

test("the figures of a read stay when the index is asked at the same time and does not have them", async () => {
  using home = createHome();
  const gate = Promise.withResolvers<void>();
  const waits = [gate.promise];
  const { usages, rows, places } = await usagesOf(home, { prices: async () => await waits.shift() });
  const [first, second] = rows as [ListedSession, ListedSession];
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
  try {
    await usageOfAll({ places });
    usages.want([first, second], "indexed");
    const usage = await usages.read(first);
    appendFileSync(first.location, turn("c", "model-new", "12", "b2"));
    gate.resolve();
    await expect.poll(() => usages.of(second).turns).toBe(1);
    expect(usages.of(first)).toBe(usage);
  } finally {
    vi.useRealTimers();
  }
  usages.close();
});

test("a session that grew within the time of its last record has no usage until it is read again", async () => {
  using home = createHome();
  const { usages, rows } = await usagesOf(home);
  const [row] = rows;
  if (row === undefined) throw new Error("the session is not listed");
  expect((await usages.read(row)).turns).toBeGreaterThan(0);
  expect(usages.of({ ...row }).turns).toBeGreaterThan(0);
  expect(usages.of({ ...row, sizeBytes: (row.sizeBytes ?? 0) + 1 })).toEqual(UNKNOWN);
  usages.close();
});

test("work that is asked for while other work ends is done after it, also if that one failed", async () => {
  const ends: (() => void)[] = [];
  const work = vi.fn(async () => {
    await new Promise<void>((resolve) => ends.push(resolve));
    if (ends.length === 1) throw new Error("no space is left");
  });
  const ask = oneAtATime(work);
  for (const _ of [1, 2, 3]) ask();
  expect(work).toHaveBeenCalledTimes(1);
  ends[0]?.();
  await expect.poll(() => work.mock.calls.length).toBe(2);
  ends[1]?.();
  await new Promise(setImmediate);
  expect(work).toHaveBeenCalledTimes(2);
  ask();
  expect(work).toHaveBeenCalledTimes(3);
});
