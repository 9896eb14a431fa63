import { DatabaseSync } from "node:sqlite";
import { EVENTS_MEDIA_TYPE } from "@continuo/core/model";
import { expect, test } from "vitest";
import type { PreparedEvent, Scope, Statement } from "../../packages/store/src/store/engine/index.ts";
import { checkAppend } from "../../packages/store/src/store/rules/append.ts";
import { migrate } from "../../packages/store/src/store/schema/index.ts";
import { createKysely, SQLITE } from "../../packages/store/src/store/sqlite/dialect.ts";

/**
 * The row of a log of events that ends at 500,000 and is not a fork, in the order of its columns, then the clock and
 * the mark.
 */
const LOG = [1, "log", EVENTS_MEDIA_TYPE, null, null, 0, 0, null, null, null, null, null, null];
const REST = [500_000, "h", null, null, 0, 0, 0];

test.each([1, 2, 100])(
  "one statement looks up by their ids whether %d events are already stored",
  async (count) => {
    const database = new DatabaseSync(":memory:");
    await migrate(createKysely<never>(database));
    const scope = { dialect: SQLITE, workspaceId: "w", lineages: new Map() } as unknown as Scope;
    const events = Array.from(
      { length: count },
      (_, n) =>
        ({ id: `event ${n}`, retriable: "yes", type: "custom", bytes: null }) as unknown as PreparedEvent,
    );
    const work = checkAppend(scope, "log", events, {});
    work.next();
    const { sql, parameters } = work.next([[...LOG, ...REST]]).value as Statement;
    const plan = database
      .prepare(`explain query plan ${sql}`)
      .all(...(parameters as (string | number)[]))
      .map(({ detail }) => String(detail));
    expect(plan[0]).toMatch(/^SEARCH events USING INDEX \S+ \(log_key=\? AND event_id=\?\)$/u);
    expect(work.next([])).toEqual({ done: true, value: undefined });
  },
);
