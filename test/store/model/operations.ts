/** Random operations, and the effect of each on a store and on the plain model. */

import { ContinuoError, type Store, type StoredEvent } from "@continuo/core/model";
import fc from "fast-check";
import type { PlainEvent, PlainModel } from "./plain-model.ts";

export type Operation =
  | { readonly type: "create"; readonly log: number }
  | {
      readonly type: "append";
      readonly log: number;
      readonly count: number;
      readonly expected: "none" | "right" | "wrong";
      readonly token: "none" | "right" | "wrong";
    }
  | {
      readonly type: "repeat";
      readonly log: number;
      readonly back: number;
      readonly change: "same" | "other";
    }
  | {
      readonly type: "read";
      readonly log: number;
      readonly after: number;
      readonly limit: number;
      readonly order: "oldest" | "newest";
    }
  | { readonly type: "fork"; readonly log: number; readonly at: number }
  | { readonly type: "redact"; readonly log: number; readonly at: number }
  | { readonly type: "close"; readonly log: number }
  | { readonly type: "cursor"; readonly log: number; readonly at: number }
  | { readonly type: "lease" };

const log = fc.nat({ max: 5 });
const choice = fc.constantFrom("none" as const, "right" as const, "wrong" as const);

export const operations: fc.Arbitrary<readonly Operation[]> = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ type: fc.constant("create" as const), log }) },
    {
      weight: 8,
      arbitrary: fc.record({
        type: fc.constant("append" as const),
        log,
        count: fc.integer({ min: 1, max: 4 }),
        expected: choice,
        token: choice,
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant("repeat" as const),
        log,
        back: fc.nat({ max: 6 }),
        change: fc.constantFrom("same" as const, "other" as const),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant("read" as const),
        log,
        after: fc.nat({ max: 12 }),
        limit: fc.integer({ min: 1, max: 5 }),
        order: fc.constantFrom("oldest" as const, "newest" as const),
      }),
    },
    { weight: 3, arbitrary: fc.record({ type: fc.constant("fork" as const), log, at: fc.nat({ max: 12 }) }) },
    {
      weight: 2,
      arbitrary: fc.record({ type: fc.constant("redact" as const), log, at: fc.nat({ max: 12 }) }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("close" as const), log }) },
    {
      weight: 2,
      arbitrary: fc.record({ type: fc.constant("cursor" as const), log, at: fc.nat({ max: 12 }) }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("lease" as const) }) },
  ),
  { maxLength: 40 },
);

/** The facts about a run that both the store and the model know. */
export interface Run {
  readonly store: Store;
  readonly model: PlainModel;
  readonly prefix: string;
  made: number;
  token: number;
  forks: number;
  /** The log to which each event was appended. */
  readonly owners: Map<string, string>;
}

const codeOf = (error: unknown): string => {
  if (error instanceof ContinuoError) return error.code;
  throw error;
};

const outcome = async <T>(call: Promise<T>, of: (value: T) => unknown): Promise<unknown> =>
  call.then(of, codeOf);

function toNew({ id, type, value }: PlainEvent) {
  return { id, type, data: { name: "m", value } };
}

function toPlain(event: StoredEvent): PlainEvent {
  const value = event.data === null ? null : (event.data as { readonly value: number }).value;
  return { id: event.id, type: event.type, value };
}

/** Performs the operation on the model and on the store. If the results differ, the store is wrong. */
export async function perform(
  run: Run,
  operation: Operation,
): Promise<readonly [model: unknown, store: unknown]> {
  const { store, model } = run;
  const logId = "log" in operation ? `${run.prefix}${operation.log}` : "";
  const events = model.logs.get(logId)?.events ?? [];
  switch (operation.type) {
    case "create":
      return [model.create(logId), await outcome(store.createLog({ logId }), () => "ok")];
    case "append":
      return append(run, logId, operation);
    case "repeat": {
      const stored = events[events.length - 1 - operation.back];
      if (stored === undefined) return [0, 0];
      const value = stored.value ?? 7;
      const again = { ...stored, value: operation.change === "same" ? value : value + 1_000_000 };
      // Only the model knows the content of a redacted event: any value would be a conflict.
      if (stored.value === null) return [0, 0];
      const call = store.append(logId, [toNew(again)]);
      return [model.append(logId, [again]), await outcome(call, (all) => all.map((event) => event.sequence))];
    }
    case "read": {
      const { after, limit, order } = operation;
      const matching = events.map((event, n) => ({ ...event, sequence: n + 1 })).slice(after);
      const kept = order === "newest" ? matching.slice(-limit) : matching.slice(0, limit);
      const expected = model.logs.has(logId) ? kept : "not_found";
      const call = store.read(logId, { after, limit, order });
      const got = await outcome(call, (page) =>
        page.events.map((event) => ({ ...toPlain(event), sequence: event.sequence })),
      );
      return [expected, got];
    }
    case "fork": {
      const newLogId = `${run.prefix}f${run.forks++}`;
      const call = store.forkLog(logId, operation.at, { newLogId });
      return [model.fork(logId, operation.at, newLogId), await outcome(call, () => "ok")];
    }
    case "redact": {
      const owner = run.owners.get(events[operation.at - 1]?.id ?? "");
      const expected =
        operation.at === 0 && model.logs.has(logId)
          ? "out_of_range"
          : model.redact(logId, operation.at, owner === logId);
      return [expected, await outcome(store.redact(logId, operation.at, { reason: "r" }), () => "ok")];
    }
    case "close":
      return [model.close(logId), await outcome(store.closeLog(logId), () => "ok")];
    case "cursor": {
      const call = store.commitCursor({ logId, name: "c", sequence: operation.at });
      return [model.commit(logId, "c", operation.at), await outcome(call, (cursor) => cursor.sequence)];
    }
    case "lease": {
      run.token = model.lease();
      return [run.token, (await store.acquireLease("lease", { owner: "o" })).token];
    }
  }
}

async function append(
  run: Run,
  logId: string,
  operation: Extract<Operation, { type: "append" }>,
): Promise<readonly [unknown, unknown]> {
  const head = run.model.logs.get(logId)?.events.length ?? 0;
  const events = Array.from({ length: operation.count }, () => {
    const n = run.made++;
    return { id: `e${n}`, type: n % 3 === 0 ? "custom" : "other", value: n };
  });
  const expected = { none: undefined, right: head, wrong: head + 1 }[operation.expected];
  const token = { none: undefined, right: run.token, wrong: run.token + 5 }[operation.token];
  const usable = token === 0 ? undefined : token;
  const call = run.store.append(logId, events.map(toNew), {
    ...(expected === undefined ? {} : { expectedSequence: expected }),
    ...(usable === undefined ? {} : { lease: { name: "lease", token: usable } }),
  });
  const said = run.model.append(logId, events, { expected, token: usable });
  if (Array.isArray(said)) for (const { id } of events) run.owners.set(id, logId);
  return [said, await outcome(call, (all) => all.map((event) => event.sequence))];
}
