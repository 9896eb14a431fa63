/** The audit log: stores a change and its entry in one transaction, and lists and follows the entries. */

import type { AuditEntry, AuditStore, CallOptions, NewAuditEntry } from "@continuo/core/model";
import type { Engine, Transaction, Work } from "./engine/index.ts";
import * as rules from "./rules/index.ts";

export function auditStore(engine: Engine): AuditStore {
  return {
    listAudit: (options = {}) => engine.read((scope) => rules.listAudit(scope, options), options.signal),
    recordAudit: ({ signal, ...entry }) =>
      engine.write((tx) => rules.insertAudit(tx, engine.scope.by, entry), signal),
  };
}

/** @param entryOf returns the entry about the change; `null` if nothing was changed */
export function writeAudited<T>(
  engine: Engine,
  act: (tx: Transaction) => Work<T>,
  entryOf: (done: T) => NewAuditEntry | null,
  signal?: AbortSignal,
): Promise<T> {
  return engine.write(function* (tx) {
    const done = yield* act(tx);
    const entry = entryOf(done);
    if (entry !== null) yield* rules.insertAudit(tx, engine.scope.by, entry);
    return done;
  }, signal);
}

const FOLLOWED = 500;
/**
 * If several servers share a database, entries can be committed out of order, so this many entries before the newest
 * are read again.
 */
const OVERLAP = 100;

/**
 * Each call returns entries of all workspaces that were stored after the previous call, at most 500; the first call
 * returns none.
 */
export function auditFollower(engine: Engine): (options?: CallOptions) => Promise<readonly AuditEntry[]> {
  let newest: number | null = null;
  let known: ReadonlySet<number> = new Set();
  return async ({ signal } = {}) => {
    const after = Math.max(0, (newest ?? (await engine.read(rules.newestAudit, signal))) - OVERLAP);
    const entries = await engine.read((scope) => rules.auditAfter(scope, after, FOLLOWED), signal);
    const fresh = newest === null ? [] : entries.filter(({ entryId }) => !known.has(entryId));
    newest = entries.at(-1)?.entryId ?? newest ?? after;
    const oldest = newest - OVERLAP;
    known = new Set(entries.flatMap(({ entryId }) => (entryId > oldest ? [entryId] : [])));
    return fresh;
  };
}
