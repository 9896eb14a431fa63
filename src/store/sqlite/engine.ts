/** The engine on `node:sqlite`: one connection, which writes in groups and reads in between. */

import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Changes, chunkBodies, type Engine, LIMITS, type Scope, type Work } from "../engine/index.ts";
import { SCHEMA_VERSION } from "../schema/index.ts";
import type { Connection } from "./connection.ts";
import { isBusy, translated } from "./failures.ts";
import { folderBodies } from "./folder-bodies.ts";
import { GroupCommit } from "./group-commit.ts";
import { inPlace } from "./in-place.ts";

export interface SqlitePlace {
  /** `undefined` for a database in memory. */
  readonly path: string | undefined;
}

export function createSqliteEngine(connection: Connection, scope: Scope, { path }: SqlitePlace): Engine {
  const location = path ?? "memory";
  const poll = path === undefined ? undefined : new CommitPoll(connection, () => changes.tellAll());
  const changes = new Changes((watching) => poll?.watch(watching));
  const group = new GroupCommit(connection, scope, {
    path: location,
    assertInPlace: inPlace(path),
    onCommit: (keys) => changes.tell(keys),
  });
  const engine: Engine = {
    scope,
    changes,
    bodies: path === undefined ? chunkBodies(() => engine) : folderBodies(`${path}-blobs`),
    read: (rule) => read(connection, () => rule(scope), location),
    write: (rule, signal) => group.write(rule, signal),
    describe: async () => ({
      engine: path === undefined ? "memory" : "sqlite",
      location,
      schemaVersion: SCHEMA_VERSION,
      sizeBytes: await sizeOf(connection, path),
    }),
    exportTo: (file) =>
      group.between(() => {
        connection.database.prepare("vacuum into ?").run(file);
      }),
    vacuum: () =>
      group.between(() => {
        connection.exec("vacuum");
        connection.exec("pragma wal_checkpoint(truncate)");
      }),
    close: async () => {
      await group.idle();
      changes.close();
      connection.close();
    },
  };
  return engine;
}

async function read<T>(connection: Connection, rule: () => Work<T>, location: string): Promise<T> {
  const deadline = performance.now() + LIMITS.lockWaitMs;
  for (;;) {
    try {
      return connection.run(rule());
    } catch (error) {
      // Readers meet a lock only while a log is recovered, or another process closes the database.
      if (!isBusy(error) || performance.now() > deadline) throw translated(error, location);
    }
    await sleep(1 + Math.random() * 5);
  }
}

async function sizeOf(connection: Connection, path: string | undefined): Promise<number> {
  if (path === undefined) {
    return Number(connection.value("pragma page_count")) * Number(connection.value("pragma page_size"));
  }
  let total = 0;
  for (const file of [path, `${path}-wal`]) {
    total += (await stat(file).catch(() => ({ size: 0 }))).size;
  }
  return total;
}

/** Notices the commits of other processes: `data_version` changes with each of them, and not with our own. */
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
