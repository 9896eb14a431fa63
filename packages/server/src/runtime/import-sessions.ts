/** Imports the sessions of agents into a store: once, or until a program ends it. */

import { setTimeout as pause } from "node:timers/promises";
import {
  type AgentName,
  assertKnownOptions,
  assertNumbers,
  ContinuoError,
  type KnownOptions,
  messageOf,
  present,
  type Store,
} from "@continuo/core/model";
import type { FindNativeOptions, Lookup } from "@continuo/native";
import {
  assertHome,
  type ImportSessionOptions,
  importedAs,
  importSession,
  type SessionImport,
  versionOf,
} from "./import-session.ts";
import { KeptMessages } from "./imported-messages.ts";

export interface ImportSessionsOptions extends Pick<ImportSessionOptions, "places" | "metadata" | "signal"> {
  /** All agents by default. */
  readonly agents?: readonly AgentName[];
  /** True to import also what the agents write later, until `signal` aborts; false by default. */
  readonly follow?: boolean;
  /** The shortest pause in milliseconds between two looks at the files while following; 1,000 by default. */
  readonly pollMs?: number;
  /** Called for a session that cannot be imported; the others are imported. By default a warning is emitted. */
  readonly onError?: (error: unknown, location: string) => void;
}

const OPTIONS: KnownOptions<ImportSessionsOptions> = {
  agents: true,
  places: true,
  metadata: true,
  signal: true,
  follow: true,
  pollMs: true,
  onError: true,
};

const POLL_MS = 1_000;
const MORE_PAUSE = 4;
/** A session that could not be imported is tried again after this time, or when it changes. */
const RETRY_MS = 30_000;

type FoundSession = Lookup["found"];

/** The state of a session at its last import, or at the last attempt that failed. */
interface LastAttempt {
  readonly version: string | null;
  readonly failedAt?: number;
}

/** The knowledge that is kept between two looks at the files. */
interface Memory {
  readonly seen: Map<string, LastAttempt>;
  readonly kept: KeptMessages | undefined;
}

/**
 * Imports every session of the agents, archived ones too, as `importNativeSession` does, and yields each import that
 * stored something. Sessions that have not changed are not read. With `follow` it then imports what the agents write,
 * and ends when `signal` aborts; without it, an aborted `signal` causes the error `cancelled`.
 *
 * Errors: `usage` for an unknown option; `not_found` for a home that does not exist; those of sessions go to `onError`.
 */
export async function* importNativeSessions(
  store: Store,
  options: ImportSessionsOptions = {},
): AsyncGenerator<SessionImport, void, void> {
  assertKnownOptions("importNativeSessions", options, OPTIONS);
  assertNumbers(options, { pollMs: 1 });
  const { follow = false, pollMs = POLL_MS, signal } = options;
  assertHome(options);
  const memory: Memory = { seen: new Map(), kept: follow ? new KeptMessages() : undefined };
  try {
    for (;;) {
      const startedAt = performance.now();
      yield* importChanged(store, options, memory);
      if (!follow) return;
      // If looking at the files takes longer, the pause is longer too, so that it uses only a small part of the time.
      const busyMs = Math.min(performance.now() - startedAt, pollMs);
      await pause(pollMs + MORE_PAUSE * busyMs, undefined, present({ signal }));
    }
  } catch (error) {
    if (!(follow && signal?.aborted === true)) throw error;
  }
}

async function* importChanged(
  store: Store,
  options: ImportSessionsOptions,
  { seen, kept }: Memory,
): AsyncGenerator<SessionImport, void, void> {
  const { agents, places, metadata, signal, onError = warn } = options;
  for (const found of await findSessions(present({ agents, places, signal }))) {
    const now = Date.now();
    const id = importedAs(found);
    const version = versionOf(found, now);
    const before = seen.get(id);
    if (before !== undefined && before.version === version && version !== null) {
      if (before.failedAt === undefined || now - before.failedAt < RETRY_MS) continue;
    }
    try {
      const imported = await importSession(store, found, present({ places, metadata, signal }), kept);
      kept?.trim();
      seen.set(id, { version });
      if (imported.added > 0) yield imported;
    } catch (error) {
      if (signal?.aborted === true) throw error;
      seen.set(id, { version, failedAt: now });
      if (before?.failedAt === undefined || before.version !== version) onError(error, found.location);
    }
  }
}

/** Returns each session once. If two files have the same id, it returns the one that was written last. */
async function findSessions(options: FindNativeOptions): Promise<readonly FoundSession[]> {
  // The readers of all agents are loaded only here, because that takes long.
  const { findNativeSessions } = await import("@continuo/native");
  const newest = new Map<string, FoundSession>();
  for await (const found of findNativeSessions(options)) {
    const other = newest.get(importedAs(found));
    if (other === undefined || writtenAt(found) > writtenAt(other)) newest.set(importedAs(found), found);
  }
  return [...newest.values()];
}

function writtenAt({ files }: FoundSession): number {
  return Math.max(0, ...files.map(({ mtimeMs }) => mtimeMs));
}

function warn(error: unknown, location: string): void {
  const message = messageOf(error);
  process.emitWarning(
    new ContinuoError("unreadable", `cannot import ${location}: ${message}`, { cause: error }),
  );
}
