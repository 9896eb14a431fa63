/** The engine on `node:sqlite`: one connection, which writes in groups and reads in between. */

import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Kysely } from "kysely";
import {
  bodyPlaces,
  Changes,
  chunkBodies,
  type Engine,
  LIMITS,
  type Scope,
  type Work,
} from "../engine/index.ts";
import { readSchemaVersion } from "../schema/index.ts";
import type { Connection } from "./connection.ts";
import { copyDatabase, copyInThread } from "./copy.ts";
import { isBusy, translated } from "./failures.ts";
import { inPlace } from "./file-identity.ts";
import { folderBodies } from "./folder-bodies.ts";
import { GroupCommit } from "./group-commit.ts";
import { blobFolders, type SqlitePlace } from "./place.ts";
import { Reads } from "./reads.ts";
import { runInThread } from "./thread.ts";

/** @param place `undefined` for a database in memory */
export function createSqliteEngine(
  connection: Connection,
  scope: Scope,
  place: SqlitePlace | undefined,
): Engine {
  const location = place?.path ?? "memory";
  const poll = place === undefined ? undefined : new CommitPoll(connection, () => changes.tellAll());
  const changes = new Changes((watching) => poll?.watch(watching));
  const reads = new Reads(connection);
  const group = new GroupCommit(connection, scope, {
    path: location,
    assertInPlace: inPlace(place, () => connection.exec("pragma wal_checkpoint(passive)")),
    onCommit: (changed, appended) => changes.tell(changed, appended),
  });
  const engine: Engine = {
    scope,
    changes,
    bodies: bodyPlaces({
      own: place === undefined ? "database" : "files",
      database: chunkBodies(() => engine),
      ...(place === undefined ? {} : { files: folderBodies(blobFolders(place), location) }),
    }),
    read: (rule) => read(reads, () => rule(scope), location),
    write: (rule, signal) => group.write(rule, signal),
    describe: async () => ({
      engine: place === undefined ? "memory" : "sqlite",
      location,
      schemaVersion: await readSchemaVersion(scope.db as unknown as Kysely<never>),
      sizeBytes: await sizeOf(connection, place),
    }),
    exportTo: (file) =>
      place === undefined
        ? group.between(() => copyDatabase(connection, file))
        : inThread(() => copyInThread(place.file, file), location),
    check: () => {
      const text = "pragma integrity_check";
      return place === undefined
        ? group.between(() => problemsIn(connection.database.prepare(text).all()))
        : inThread(async () => problemsIn((await runInThread(place.file, [{ sql: text }]))[0]), location);
    },
    vacuum: () =>
      group.between(async () => {
        const statements = ["vacuum", "pragma wal_checkpoint(truncate)"];
        if (place !== undefined)
          await runInThread(
            place.file,
            statements.map((text) => ({ sql: text })),
          );
        else for (const text of statements) connection.exec(text);
      }),
    ...(place === undefined
      ? {}
      : { runLong: (statements) => group.between(() => runInThread(place.file, statements)) }),
    close: async () => {
      await group.idle();
      reads.finish();
      changes.close();
      connection.close();
    },
  };
  return engine;
}

/** Translates errors of SQLite to errors of the store. */
async function inThread<T>(work: () => Promise<T>, location: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translated(error, location);
  }
}

function problemsIn(rows: readonly object[] = []): readonly string[] {
  return rows.map((row) => String(Object.values(row)[0])).filter((found) => found !== "ok");
}

async function read<T>(reads: Reads, rule: () => Work<T>, location: string): Promise<T> {
  const deadline = performance.now() + LIMITS.lockWaitMs;
  for (;;) {
    try {
      return await reads.run(rule());
    } catch (error) {
      // Readers wait for a lock only while a write-ahead log is recovered, or another process closes the database.
      if (!isBusy(error) || performance.now() > deadline) throw translated(error, location);
    }
    await sleep(1 + Math.random() * 5);
  }
}

async function sizeOf(connection: Connection, place: SqlitePlace | undefined): Promise<number> {
  if (place === undefined) {
    return Number(connection.value("pragma page_count")) * Number(connection.value("pragma page_size"));
  }
  let total = 0;
  for (const file of [place.file, `${place.file}-wal`]) {
    total += (await stat(file).catch(() => ({ size: 0 }))).size;
  }
  return total;
}

/** Notices the commits of other processes: `data_version` changes with each of them, but not with our own. */
class CommitPoll {
  readonly #connection: Connection;
  readonly #onCommit: () => void;
  #timer: NodeJS.Timeout | undefined;
  #version: unknown;

  constructor(connection: Connection, onCommit: () => void) {
    this.#connection = connection;
    this.#onCommit = onCommit;
  }

  watch(watching: number): void {
    if (watching === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else if (this.#timer === undefined) {
      this.#version = this.#connection.value("pragma data_version");
      this.#timer = setInterval(() => this.#look(), LIMITS.sqlitePollMs);
    }
  }

  #look(): void {
    const version = this.#connection.value("pragma data_version");
    if (version === this.#version) return;
    this.#version = version;
    this.#onCommit();
  }
}
