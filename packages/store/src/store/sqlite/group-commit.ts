/**
 * Group commit: writes that are requested at the same time share one transaction, and so one fsync, and each caller is
 * answered only after it. A rule is nearly always refused before it has written anything, so that nothing must be
 * undone. If a rule is refused later, the whole group is rolled back and runs again, each rule in a savepoint of its
 * own. Savepoints are not used at first, because they cost a copy of every changed page.
 */

import { setTimeout as sleep } from "node:timers/promises";
import {
  type AppendedRows,
  LIMITS,
  noteAppended,
  noteChanged,
  type Scope,
  type Transaction,
  type Work,
} from "../engine/index.ts";
import type { Connection } from "./connection.ts";
import { isBusy, translated } from "./failures.ts";

interface Job {
  readonly rule: (tx: Transaction) => Work<unknown>;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

interface JobResult {
  readonly job: Job;
  outcome: Outcome | undefined;
}

/** After this time, a group begins no further write, so that it does not block the event loop for long. */
const TURN_MS = 5;

/** The promise steps for which a group waits: more than a caller needs from the answer to its next append. */
const PROMISES_OF_A_CALLER = 24;

type GroupChanges = Required<Pick<Transaction, "changed" | "appended">>;

interface GroupOptions {
  readonly path: string;
  /** Called before and after each transaction. Errors: `unavailable`. */
  readonly assertInPlace: () => void;
  readonly onCommit: (changed: ReadonlySet<number>, appended: AppendedRows) => void;
}

export class GroupCommit {
  readonly #connection: Connection;
  readonly #scope: Scope;
  readonly #path: string;
  readonly #assertInPlace: () => void;
  readonly #onCommit: GroupOptions["onCommit"];
  #jobs: Job[] = [];
  #pauses: (() => Promise<void>)[] = [];
  #running: Promise<void> | undefined;
  #turnedAt = 0;
  /** The number of jobs at the front of the queue that each run in a savepoint of their own. */
  #careful = 0;

  constructor(connection: Connection, scope: Scope, options: GroupOptions) {
    this.#connection = connection;
    this.#scope = scope;
    this.#path = options.path;
    this.#assertInPlace = options.assertInPlace;
    this.#onCommit = options.onCommit;
  }

  write<T>(rule: (tx: Transaction) => Work<T>, signal?: AbortSignal): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#jobs.push({ rule, signal, resolve: resolve as (value: never) => void, reject });
      this.#running ??= this.#drain();
    });
  }

  /** Runs work that cannot be part of a transaction, between two transactions: writes wait until it is done. */
  between<T>(run: () => T | Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#pauses.push(async () => {
        try {
          resolve(await run());
        } catch (error) {
          reject(translated(error, this.#path));
        }
      });
      this.#running ??= this.#drain();
    });
  }

  /** Resolves when everything that was requested is done. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #drain(): Promise<void> {
    await this.#gather();
    while (this.#jobs.length + this.#pauses.length > 0) {
      for (const pause of this.#pauses.splice(0)) await pause();
      if (this.#jobs.length === 0) continue;
      try {
        await this.#begin();
      } catch (error) {
        this.#failAll(error);
        break;
      }
      this.#commitGroup();
      await this.#gather();
    }
    this.#running = undefined;
    if (this.#jobs.length + this.#pauses.length > 0) this.#running = this.#drain();
  }

  /**
   * Gives callers that the last commit woke the chance to append before the next commit begins: this takes only a few
   * steps of promises, usually without a turn of the event loop.
   */
  async #gather(): Promise<void> {
    for (let promise = 0; promise < PROMISES_OF_A_CALLER; promise++) await undefined;
    if (this.#jobs.length > 0 && performance.now() - this.#turnedAt < TURN_MS) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#turnedAt = performance.now();
  }

  /** Waits for other processes without blocking this one. */
  async #begin(): Promise<void> {
    this.#assertInPlace();
    const deadline = performance.now() + LIMITS.lockWaitMs;
    for (let tries = 0; ; tries++) {
      try {
        this.#connection.exec("begin immediate");
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw translated(error, this.#path);
      }
      await sleep(Math.random() * Math.min(1 + tries, 10));
    }
  }

  #commitGroup(): void {
    const changes = noChanges();
    const group: JobResult[] = [];
    try {
      if (this.#runGroup(group, changes) === "take_back") {
        this.#takeBack(group);
        return;
      }
      this.#connection.exec("commit");
      // If the file has no name any more, the commit is lost when the process ends.
      this.#assertInPlace();
    } catch (error) {
      // The disk is full, an I/O error occurred, or the file is gone; nothing was committed. All callers receive the
      // error.
      this.#rollback();
      for (const { job } of group) job.reject(translated(error, this.#path));
      return;
    }
    for (const { job, outcome } of group) {
      if (outcome === undefined) continue;
      if ("value" in outcome) job.resolve(outcome.value as never);
      else job.reject(outcome.error);
    }
    if (changes.changed.size > 0) this.#onCommit(changes.changed, changes.appended);
  }

  #runGroup(group: JobResult[], changes: GroupChanges): "commit" | "take_back" {
    const end = performance.now() + TURN_MS;
    while (group.length < LIMITS.groupCommit && (group.length === 0 || performance.now() < end)) {
      const job = this.#jobs.shift();
      if (job === undefined) break;
      const done: JobResult = { job, outcome: undefined };
      group.push(done);
      const before = this.#connection.writes;
      done.outcome = this.#careful > 0 ? this.#runCarefully(job, changes) : this.#runJob(job, changes);
      const wrote = this.#connection.writes > before;
      if ("error" in done.outcome && wrote && this.#careful === 0) return "take_back";
      this.#careful = Math.max(0, this.#careful - 1);
    }
    return "commit";
  }

  /** Puts the same jobs back in front, in their order, so that they run again. */
  #takeBack(group: readonly JobResult[]): void {
    this.#rollback();
    this.#jobs.unshift(...group.map(({ job }) => job));
    this.#careful = group.length;
  }

  #runCarefully(job: Job, changes: GroupChanges): Outcome {
    this.#connection.exec("savepoint one");
    const outcome = this.#runJob(job, changes);
    if ("error" in outcome) this.#connection.exec("rollback to one");
    this.#connection.exec("release one");
    return outcome;
  }

  #runJob(job: Job, changes: GroupChanges): Outcome {
    if (job.signal?.aborted === true) return { error: job.signal.reason };
    const own = noChanges();
    try {
      const value = this.#connection.run(job.rule({ ...this.#scope, ...own }));
      addChanges(changes, own);
      return { value };
    } catch (error) {
      // The scope forgets rows that were rolled back.
      this.#scope.lineages.clear();
      return { error: translated(error, this.#path) };
    }
  }

  #rollback(): void {
    if (this.#connection.database.isTransaction) this.#connection.exec("rollback");
    this.#scope.lineages.clear();
  }

  #failAll(error: unknown): void {
    const jobs = this.#jobs;
    this.#jobs = [];
    for (const job of jobs) job.reject(error);
  }
}

function noChanges(): GroupChanges {
  return { changed: new Set(), appended: new Map() };
}

function addChanges(changes: GroupChanges, own: GroupChanges): void {
  for (const key of own.changed) {
    const rows = own.appended.get(key);
    if (rows === undefined) noteChanged(changes, key);
    else noteAppended(changes, key, rows);
  }
}
