/** Every engine gives the results of the plain model for any operations. */

import { openStore } from "@continuo/store";
import fc from "fast-check";
import { expect } from "vitest";
import { operations, perform, type Run } from "./operations.ts";
import { PlainModel } from "./plain-model.ts";

type Operations = typeof operations extends fc.Arbitrary<infer T> ? T : never;

let workspaces = 0;

/** @param url the URL of a migrated store; each try has its own workspace */
export function doesWhatTheModelDoes(url: string): fc.IAsyncProperty<[Operations]> {
  return fc.asyncProperty(operations, async (asked) => {
    const workspaceId = `model-${process.pid}-${Date.now()}-${workspaces++}`;
    await using store = await openStore(url, { workspaceId });
    const model = new PlainModel();
    const run: Run = { store, model, prefix: "l", made: 0, token: 0, forks: 0, owners: new Map() };
    for (const operation of asked) {
      const [expected, got] = await perform(run, operation);
      expect({ operation, outcome: got }).toEqual({ operation, outcome: expected });
    }
    for (const [logId, log] of model.logs) {
      const count = log.events.length;
      const prunedCount = log.events.filter((event) => event.value === null).length;
      expect(await store.verify(logId)).toEqual({ ok: true, checkedCount: count, prunedCount });
      expect((await store.getLog(logId))?.closedAt !== undefined).toBe(log.closed);
    }
  });
}
