import type { GrowthEvent } from "@continuo/core/wire/machine";
import { expect, test } from "vitest";
import { growthOf } from "./growth-events.ts";
import type { Machine } from "./machine-parts.ts";

test("a page receives the session again when its row changed, and not before", async () => {
  const shown = [{ title: "Tea" }, { title: "Tea" }, { title: "Coffee" }];
  let looks = 0;
  const stop = new AbortController();
  const machine = {
    options: { places: { home: "/nobody", env: {} } },
    // More may be available: the next check follows at once.
    ask: async () => ({ seen: { generation: "g", revision: looks }, news: [], isMore: true }),
    named: async () => {
      const row = shown[Math.min(looks, shown.length - 1)];
      looks += 1;
      if (looks > 5) stop.abort();
      return { shown: row };
    },
  } as unknown as Machine;
  const query = { key: "claude:4bf3", view: "history" } as const;
  const events: GrowthEvent[] = await Array.fromAsync(growthOf(machine, query, stop.signal));
  expect(events).toEqual([{ type: "session", session: { title: "Coffee" } }]);
});
