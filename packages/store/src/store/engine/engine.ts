/**
 * The port of an engine: it runs rules, runs the statements of a rule as one transaction, and reports the changed logs.
 */

import type { AppendOptions, Principal, StoredEvent, StoreInfo } from "@continuo/core/model";
import type { BodyPlaces } from "./body-places.ts";
import type { Changes } from "./changes.ts";
import type { PreparedEvent } from "./prepared-event.ts";
import type { Scope, Transaction, Work } from "./work.ts";

/** A statement that takes long. */
export interface LongStatement {
  readonly sql: string;
  readonly parameters?: readonly (string | number | null)[];
  /** `none`: a row is an error, whose `statement` is the text of this statement. */
  readonly expected?: "none";
}

export interface Engine {
  readonly scope: Scope;
  readonly changes: Changes;
  readonly bodies: BodyPlaces;
  /** Runs statements that change nothing. Errors: `unavailable`, `busy`, `corrupt`. */
  read<T>(rule: (scope: Scope) => Work<T>, signal?: AbortSignal): Promise<T>;
  /**
   * Runs one transaction, and resolves when it is durable. A rule that throws changes nothing. A rule may be run more
   * than once. Errors: `unavailable`, `busy`, `corrupt`.
   */
  write<T>(rule: (tx: Transaction) => Work<T>, signal?: AbortSignal): Promise<T>;
  /** A shorter way for plain appends, if an engine has one; `undefined` if it cannot be used. */
  appendFast?(
    scope: Scope,
    append: {
      readonly logId: string;
      readonly events: readonly PreparedEvent[];
      readonly options: AppendOptions;
    },
  ): Promise<readonly StoredEvent[] | undefined>;
  describe(): Promise<Pick<StoreInfo, "engine" | "location" | "schemaVersion" | "sizeBytes">>;
  /**
   * Writes all rows of all workspaces, as they are at one moment, into a new SQLite database; without the large blobs.
   */
  exportTo(path: string): Promise<void>;
  /**
   * Returns the damage of pages and indexes in the database's words; empty if the database cannot tell. Errors:
   * `corrupt`.
   */
  check(): Promise<readonly string[]>;
  /** Gives freed space back to the file system. */
  vacuum(): Promise<void>;
  /**
   * Runs long SQL statements one after the other, and resolves with their rows. Other writes of this process wait, but
   * its event loop does not. Left out if the engine cannot do this. Errors: those of SQLite.
   */
  runLong?(
    statements: readonly LongStatement[],
  ): Promise<readonly (readonly Readonly<Record<string, unknown>>[])[]>;
  close(): Promise<void>;
}

/**
 * The same connections, with rules that run in another workspace, and in the name of `by`. `close` does nothing: the
 * caller closes `engine`.
 */
export function engineOfWorkspace(
  engine: Engine,
  workspaceId: string,
  by: Principal | undefined = engine.scope.by,
): Engine {
  const scope = { ...engine.scope, workspaceId, ...(by === undefined ? {} : { by }) };
  return {
    ...engine,
    scope,
    read: (rule, signal) => engine.read(() => rule(scope), signal),
    write: (rule, signal) => engine.write((tx) => rule({ ...tx, workspaceId }), signal),
    close: () => Promise.resolve(),
  };
}
