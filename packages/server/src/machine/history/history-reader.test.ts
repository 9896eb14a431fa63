import { type LookUpHit, lookUp, shippedPrices } from "@continuo/agents/catalog";
import type { PlacesAt } from "@continuo/files";
import { afterEach, expect, test, vi } from "vitest";
import { CLAUDE_ID, claudeFile, claudeText, createHome } from "../../../../../test/cli/home.ts";
import { type ReadOptions, readOn, readTip, readWhole, slowly } from "./history-reader.ts";

afterEach(() => void vi.restoreAllMocks());

type Lines = Parameters<typeof claudeText>[1];

const TURNS: Lines = [
  { uuid: "p1", parent: null, role: "user", content: "First", time: "10:00:00" },
  { uuid: "a1", parent: "p1", role: "assistant", content: [{ type: "text", text: "One" }], time: "10:00:01" },
  { uuid: "p2", parent: "a1", role: "user", content: "Second", time: "10:00:02" },
  { uuid: "a2", parent: "p2", role: "assistant", content: [{ type: "text", text: "Two" }], time: "10:00:03" },
];

test("a history that lost its last messages is read again as a whole, and only the new part is read of one that grew", async () => {
  using home = createHome();
  const write = (count: number): void =>
    home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, TURNS.slice(0, count)));
  const places: PlacesAt = { home: home.path, cwd: home.path, env: {} };
  const options: ReadOptions = { places, prices: { own: {}, list: shippedPrices() }, view: "history" };
  const { signal } = new AbortController();
  const located = async (): Promise<LookUpHit> =>
    (await lookUp(`claude:${CLAUDE_ID}`, { places, store: null, examples: "without examples" })) as LookUpHit;
  write(2);
  const whole = await readWhole(await located(), options, signal);
  write(4);
  const grown = await readOn(await located(), whole, options, signal);
  expect(grown?.kept.length).toBe(4);
  write(2);
  expect(await readOn(await located(), grown ?? whole, options, signal)).toBeNull();
  whole.kept[Symbol.dispose]();
});

test("a message that was rewritten replaces the one that was read, and a short session has no end before it", async () => {
  using home = createHome();
  const write = (answer: string): void => {
    const lines = TURNS.map((line) =>
      line.uuid === "a1" ? { ...line, content: [{ type: "text", text: answer }] } : line,
    );
    home.write(claudeFile(CLAUDE_ID), claudeText(CLAUDE_ID, lines as Lines));
  };
  const places: PlacesAt = { home: home.path, cwd: home.path, env: {} };
  const options: ReadOptions = { places, prices: { own: {}, list: shippedPrices() }, view: "history" };
  const { signal } = new AbortController();
  const located = async (): Promise<LookUpHit> =>
    (await lookUp(`claude:${CLAUDE_ID}`, { places, store: null, examples: "without examples" })) as LookUpHit;
  write("One");
  const whole = await readWhole(await located(), options, signal);
  write("Another answer");
  const changed = await readOn(await located(), { ...whole, saved: null }, options, signal);
  expect([changed?.kept.length, changed?.kept.textAt(1)]).toEqual([
    4,
    expect.stringContaining("Another answer"),
  ]);
  expect(await readTip(await located(), places, 1_000_000)).toBeNull();
  whole.kept[Symbol.dispose]();
});

test("a long reading that nobody waits for any more ends in the middle", async () => {
  let nowMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => {
    nowMs += 1_000;
    return nowMs;
  });
  const reading = new AbortController();
  async function* endless() {
    for (;;) yield { id: "m" } as never;
  }
  let read = 0;
  const take = async (): Promise<void> => {
    for await (const _ of slowly(endless(), reading.signal)) {
      read += 1;
      if (read === 3) reading.abort();
      if (read > 10) break;
    }
  };
  await expect(take()).rejects.toMatchObject({ name: "AbortError" });
  expect(read).toBe(3);
});
