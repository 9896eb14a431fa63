/**
 * Stores a plain append with one statement. This server remembers the head of the log (its belief), and the statement
 * stores nothing if the log has another head. In that case, the server forgets the belief, and the append uses the
 * normal way, which locks the log and reports any error.
 */

import { type AppendOptions, EVENTS_MEDIA_TYPE, type StoredEvent } from "@continuo/core/model";
import type pg from "pg";
import {
  type EventRow,
  LIMITS,
  type PreparedEvent,
  type Scope,
  type Statement,
  type Witness,
  type Work,
} from "../engine/index.ts";
import { numberEvent } from "../rules/index.ts";
import { query, rowsOf } from "./connections.ts";
import { columnsOf, EVENT_COLUMNS, EVENT_TYPES_SQL, MARK, NOW, POSTGRES } from "./dialect.ts";
import { isLost, isRace, isUniqueViolation } from "./failures.ts";
import { wasStored } from "./outcome.ts";

interface Belief {
  readonly logKey: number;
  readonly sequence: number;
  readonly hash: string;
  readonly kind: "events" | "bytes" | "fork";
  readonly mediaType: string;
}

interface PlainAppend {
  readonly logId: string;
  readonly events: readonly PreparedEvent[];
  readonly options: AppendOptions;
}

interface AppendRow {
  readonly logKey: number;
  readonly stored: readonly StoredEvent[];
}

const BELIEFS_KEPT = 10_000;

/** An append that waits for those before it. */
interface Job extends PlainAppend {
  readonly scope: Scope;
  readonly resolve: (row: AppendRow | undefined) => void;
  readonly reject: (error: unknown) => void;
}

export class FastAppend {
  readonly #pool: pg.Pool;
  readonly #location: string;
  readonly #beliefs = new Map<string, Belief>();
  readonly #waiting = new Map<string, Job[]>();

  constructor(pool: pg.Pool, location: string) {
    this.#pool = pool;
    this.#location = location;
  }

  /**
   * Stores an append, or resolves to `undefined` if it must use the normal way. Appends of this server to one log run
   * one after the other; otherwise, they would invalidate each other's beliefs. Appends that wait while another one is
   * stored are then stored together, with one statement and one commit.
   */
  append(scope: Scope, append: PlainAppend): Promise<AppendRow | undefined> {
    if (!isPlain(append.events, append.options)) return Promise.resolve(undefined);
    // No name has a line break.
    const key = `${scope.workspaceId}\n${append.logId}`;
    const { promise, resolve, reject } = Promise.withResolvers<AppendRow | undefined>();
    const job: Job = { ...append, scope, resolve, reject };
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) void this.#drain(key, job);
    else waiting.push(job);
    return promise;
  }

  async #drain(key: string, first: Job): Promise<void> {
    const jobs = [first];
    this.#waiting.set(key, jobs);
    while (jobs.length > 0) await this.#run(key, jobs.splice(0, groupLength(jobs)));
    this.#waiting.delete(key);
  }

  async #run(key: string, group: readonly Job[]): Promise<void> {
    try {
      const rows = await this.#store(key, group);
      // One append of the group may prevent all others, so each one is tried by itself.
      if (rows === undefined && group.length > 1) for (const job of group) await this.#run(key, [job]);
      else for (const [at, { resolve }] of group.entries()) resolve(rows?.[at]);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  /** Stores all or none. */
  async #store(key: string, group: readonly Job[]): Promise<readonly AppendRow[] | undefined> {
    const [first] = group;
    if (first === undefined) return [];
    const { scope, logId, options } = first;
    const { expectedSequence, lease, mediaType } = options;
    const belief = this.#beliefs.get(key) ?? (await this.#look(scope, logId));
    if (belief === undefined || !group.every(({ events }) => fits(belief, events))) return undefined;
    if (mediaType !== undefined && mediaType !== belief.mediaType) {
      this.#beliefs.delete(key);
      return undefined;
    }
    if (expectedSequence !== undefined && expectedSequence !== belief.sequence) {
      this.#beliefs.delete(key);
      return undefined;
    }
    const place = { logKey: belief.logKey, logId };
    let { sequence, hash } = belief;
    const numbered = group.map((job) =>
      job.events.map((event) => {
        sequence += 1;
        const one = numberEvent(job.scope, place, event, sequence, hash);
        hash = one.stored.chainHash;
        return one;
      }),
    );
    const next: Belief = { ...belief, sequence, hash };
    const rows = numbered.flatMap((all) => all.map((one) => one.row));
    const guard = lease === undefined ? undefined : [scope.workspaceId, lease.name, lease.token];
    const statement = statementOf(belief, next, rows, guard);
    this.#beliefs.delete(key);
    const eventId = group.at(-1)?.events.at(-1)?.id ?? "";
    if (!(await this.#stores(statement, { logKey: belief.logKey, sequence, eventId }))) return undefined;
    if (this.#beliefs.size >= BELIEFS_KEPT) this.#beliefs.clear();
    this.#beliefs.set(key, next);
    return numbered.map((all) => ({ logKey: belief.logKey, stored: all.map((one) => one.stored) }));
  }

  async #stores(statement: Statement, witness: Witness): Promise<boolean> {
    const client = await this.#pool.connect();
    let lost: Error | undefined;
    try {
      return (await rowsOf(client, statement)).length > 0;
    } catch (error) {
      // Either an id is already stored, and the normal way finds out whether it is the same event; or the transaction
      // lost a race, and the append runs again in the normal way.
      if (isUniqueViolation(error) || isRace(error)) return false;
      if (!isLost(error)) throw error;
      lost = error;
    } finally {
      client.release(lost);
    }
    return await wasStored(this.#pool, { client, witness, error: lost, location: this.#location });
  }

  async #look(scope: Scope, logId: string): Promise<Belief | undefined> {
    const sql = POSTGRES.placeholders(
      "select log_key, head_sequence, head_hash, media_type, parent_key from logs where workspace_id = ? and log_id = ?",
    );
    const parameters = [scope.workspaceId, logId];
    const rows = await query(this.#pool, function* (): Work<readonly unknown[]> {
      return yield { sql, parameters };
    });
    const [row] = rows as readonly LogHeadRow[];
    if (row === undefined) return undefined;
    const kind = row.media_type === EVENTS_MEDIA_TYPE ? "events" : "bytes";
    return {
      logKey: row.log_key,
      sequence: row.head_sequence,
      hash: row.head_hash,
      kind: row.parent_key === null ? kind : "fork",
      mediaType: row.media_type,
    };
  }
}

function statementOf(
  belief: Belief,
  next: Belief,
  rows: readonly EventRow[],
  guard: readonly unknown[] | undefined,
): Statement {
  const head = [next.sequence, next.hash, belief.logKey, belief.sequence, belief.hash];
  const [first] = rows;
  const single = rows.length === 1 && first !== undefined;
  const body = single ? first : columnsOf(rows);
  const shape = single ? "single" : "many";
  if (guard === undefined) return { sql: STATEMENTS[shape], parameters: [...head, ...body] };
  return { sql: LEASED[shape], parameters: [...head, ...body, ...guard] };
}

interface LogHeadRow {
  readonly log_key: number;
  readonly head_sequence: number;
  readonly head_hash: string;
  readonly media_type: string;
  readonly parent_key: number | null;
}

/** The number of waiting appends that one statement can store. They must have the same conditions. */
function groupLength(jobs: readonly Job[]): number {
  const [first, ...others] = jobs;
  if (first === undefined || first.options.expectedSequence !== undefined) return 1;
  let [events, bytes] = [first.events.length, bytesOf(first)];
  const end = others.findIndex((job) => {
    events += job.events.length;
    bytes += bytesOf(job);
    const isTooMuch = events > LIMITS.groupCommit || bytes > LIMITS.groupBytes;
    return isTooMuch || !demandsTheSame(first.options, job.options);
  });
  return end === -1 ? jobs.length : end + 1;
}

function demandsTheSame(a: AppendOptions, b: AppendOptions): boolean {
  return (
    b.expectedSequence === undefined &&
    a.mediaType === b.mediaType &&
    a.lease?.name === b.lease?.name &&
    a.lease?.token === b.lease?.token
  );
}

function bytesOf({ events }: PlainAppend): number {
  return events.reduce((sum, { payload, bytes }) => sum + (payload?.length ?? bytes?.length ?? 0), 0);
}

function isPlain(events: readonly PreparedEvent[], options: AppendOptions): boolean {
  if (events.length === 0 || (options.also ?? []).length > 0) return false;
  return events.every((event) => event.extras?.blobs === undefined);
}

/** False for a fork, because its index does not contain inherited ids, and for events of another kind than the log. */
function fits(belief: Belief, events: readonly PreparedEvent[]): boolean {
  if (belief.kind === "fork") return false;
  return events.every(
    (event) =>
      (event.type === "bytes") === (belief.kind === "bytes") &&
      (event.bytes !== null) === (belief.kind === "bytes"),
  );
}

const HEAD_PARAMETERS = 5;

function textOf(shape: "single" | "many", guard: "leased" | "free"): string {
  const types: readonly string[] = EVENT_TYPES_SQL;
  const place = (index: number): string => `$${HEAD_PARAMETERS + index + 1}`;
  const values =
    shape === "single"
      ? `select ${types.map((type, index) => `${place(index)}::${type}`).join(", ")} from head`
      : `select rows.* from head, unnest(${types.map((type, index) => `${place(index)}::${type}[]`).join(", ")}) as rows`;
  const after = HEAD_PARAMETERS + types.length;
  // The lease is locked, so that no greater token is given before this append is visible.
  const lease = `lease as (select 1 from leases where workspace_id = $${after + 1} and name = $${after + 2}
      and token = $${after + 3} for share), `;
  return `with ${guard === "leased" ? lease : ""}head as (
      update logs set head_sequence = $1, head_hash = $2, changed_at = ${NOW}, changed_mark = ${MARK},
        expires_at = case when ttl_ms is null then expires_at else ${NOW} + ttl_ms end
      where log_key = $3 and head_sequence = $4 and head_hash = $5 and closed_at is null and deleted_at is null
        and (expires_at is null or expires_at > ${NOW})${guard === "leased" ? " and exists (select 1 from lease)" : ""}
      returning log_key, workspace_id, log_id),
    active as (
      update sessions set updated_at = ${NOW} from head where sessions.workspace_id = head.workspace_id
        and sessions.session_id = head.log_id and sessions.updated_at <= ${NOW} - 60000)
    insert into events (${EVENT_COLUMNS}) ${values} returning sequence`;
}

const STATEMENTS = { single: textOf("single", "free"), many: textOf("many", "free") } as const;
const LEASED = { single: textOf("single", "leased"), many: textOf("many", "leased") } as const;
