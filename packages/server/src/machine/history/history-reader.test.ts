import { type LookUpHit, lookUp, shippedPrices } from "@continuo/agents/catalog";
import type { PlacesAt } from "@continuo/files";
import { expect, test } from "vitest";
import { CLAUDE_ID, claudeFile, claudeText, createHome } from "../../../../../test/cli/home.ts";
import { type ReadOptions, readOn, readWhole } from "./history-reader.ts";

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
