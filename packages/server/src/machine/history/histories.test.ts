import { type LookUpHit, lookUp, shippedPrices } from "@continuo/agents/catalog";
import { HISTORY_LIMITS } from "@continuo/agents/pages";
import type { PlacesAt } from "@continuo/files";
import { beforeEach, expect, test } from "vitest";
import { CLAUDE_ID, createHome, writeSessions } from "../../../../../test/cli/home.ts";
import { createHistories, type HistoryRequest } from "./histories.ts";

let places: PlacesAt;
let hit: LookUpHit;
beforeEach(async () => {
  const home = createHome();
  writeSessions(home);
  places = { home: home.path, cwd: home.path, env: {} };
  hit = (await lookUp(`claude:${CLAUDE_ID}`, {
    places,
    store: null,
    examples: "without examples",
  })) as LookUpHit;
});

/** The same session under many keys: each key has a separate history. */
function requestOf(key: string, located: Promise<LookUpHit> = Promise.resolve(hit)): HistoryRequest {
  const prices = { own: {}, list: shippedPrices() };
  return { key, view: "history", places, prices, locate: () => located };
}

test("a history that is being read is not dropped, although many others were read since then", async () => {
  const histories = createHistories();
  const { signal } = new AbortController();
  const slow = Promise.withResolvers<LookUpHit>();
  const first = histories.withWhole(requestOf("slow", slow.promise), signal, ({ kept }) => kept.length);
  for (let n = 0; n <= HISTORY_LIMITS.keptSessions; n++) {
    await histories.withWhole(requestOf(`k${n}`), signal, () => undefined);
  }
  expect([histories.holds(requestOf("slow")), histories.holds(requestOf("k0"))]).toEqual([true, false]);
  slow.resolve(hit);
  expect(await first).toBeGreaterThan(0);
  histories.close();
});

test("reading ends when nobody waits for it", async () => {
  const histories = createHistories();
  const slow = Promise.withResolvers<LookUpHit>();
  const callers = [new AbortController(), new AbortController()];
  const answers = callers.map(({ signal }) =>
    histories.withWhole(requestOf("slow", slow.promise), signal, () => undefined).catch(() => "left"),
  );
  callers[0]?.abort();
  expect(histories.holds(requestOf("slow"))).toBe(true);
  callers[1]?.abort();
  expect(histories.holds(requestOf("slow"))).toBe(false);
  slow.resolve(hit);
  await Promise.all(answers);
  histories.close();
});
