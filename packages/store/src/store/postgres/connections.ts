/** Makes connections to Postgres, and runs rules on them, one statement after the other. */

import pg from "pg";
import {
  LIMITS,
  type Scope,
  type Statement,
  type Transaction,
  type Witness,
  type Work,
} from "../engine/index.ts";
import { isLost, isRace, translated } from "./failures.ts";
import { wasStored } from "./outcome.ts";

const INT8 = 20;
const BYTEA = 17;

/** Integers are read as numbers (all of ours are safe integers), bytes as plain `Uint8Array`. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => {
    if (oid === INT8) return Number;
    if (oid === BYTEA) return (text: string) => Uint8Array.from(Buffer.from(text.slice(2), "hex"));
    return format === "binary" ? pg.types.getTypeParser(oid, "binary") : pg.types.getTypeParser(oid, "text");
  }) as pg.CustomTypesConfig["getTypeParser"],
};

const CONNECT_MS = 10_000;
/**
 * A process that is stopped in the middle of a transaction keeps locks that others wait for. After this time, Postgres
 * ends the transaction, and the process runs it again when the process continues.
 */
const STANDING_MS = 3_000;
const CONNECT_TRIES = 3;
/** A process was stopped if nothing ran in it for longer than this. It checks that every `LOOK_MS` milliseconds. */
const STANDSTILL_MS = 1_000;
const LOOK_MS = 250;

/**
 * Connects again if the time limit passed while this process was stopped, or busy for a long time, because the database
 * may have answered already, and no statement was sent yet. Errors: those of `connect`.
 */
export async function connectAwake<T>(
  connect: () => Promise<T>,
  now: () => number = () => performance.now(),
): Promise<T> {
  for (let tries = 1; ; tries++) {
    let last = now();
    let stoodStill = false;
    const look = (): void => {
      stoodStill ||= now() - last > STANDSTILL_MS;
      last = now();
    };
    const looking = setInterval(look, LOOK_MS);
    try {
      return await connect();
    } catch (error) {
      look();
      const isTimeout = error instanceof Error && /\btimeout\b/u.test(error.message);
      if (!isTimeout || !stoodStill || tries === CONNECT_TRIES) throw error;
    } finally {
      clearInterval(looking);
    }
  }
}

type OnClient = (error: Error | undefined, client?: pg.PoolClient, done?: (error?: Error) => void) => void;

class AwakePool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: OnClient): void;
  override connect(callback?: OnClient): Promise<pg.PoolClient> | undefined {
    const connecting = connectAwake(() => super.connect());
    if (callback === undefined) return connecting;
    connecting.then(
      (client) => callback(undefined, client, (error) => client.release(error)),
      (error: Error) => callback(error),
    );
    return undefined;
  }
}

/**
 * Requires TLS with a checked certificate for a database on another machine, unless the URL says otherwise. The
 * connection is never tried again without TLS.
 */
export function tlsFor(url: string): { readonly ssl?: true } {
  const { hostname, searchParams } = new URL(url);
  const host = searchParams.get("host") ?? decodeURIComponent(hostname);
  const isHere = host === "" || host.startsWith("/") || LOOPBACK.test(host);
  return isHere ? {} : { ssl: true };
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/u;

/** Returns the settings of every connection to the database. Settings of TLS in the URL have priority. */
export function connectionTo(url: string): pg.ClientConfig {
  return { ...tlsFor(url), connectionString: url };
}

export function createPool(url: string): pg.Pool {
  const pool = new AwakePool({
    ...connectionTo(url),
    types: TYPES,
    max: 10,
    connectionTimeoutMillis: CONNECT_MS,
    idle_in_transaction_session_timeout: STANDING_MS,
    application_name: "continuo",
  });
  // The pool replaces an idle connection that breaks; the user of a broken connection gets the error.
  pool.on("error", () => undefined);
  // A connection that breaks while it is used may emit two errors. Without a listener, the second error would end the
  // process.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

const NAMES_KEPT = 500;
const names = new Map<string, string>();

/** Names a statement, so that it is prepared once for each connection; there are few statements. */
function nameOf(sql: string): string | undefined {
  let name = names.get(sql);
  if (name === undefined && names.size < NAMES_KEPT) {
    name = `continuo_${names.size}`;
    names.set(sql, name);
  }
  return name;
}

interface Runner {
  query(config: pg.QueryConfig | pg.QueryArrayConfig): Promise<{ readonly rows: unknown[] }>;
}

export async function rowsOf(
  runner: Runner,
  { sql, parameters, shape }: Statement,
): Promise<readonly unknown[]> {
  const name = nameOf(sql);
  const { rows } = await runner.query({
    text: sql,
    values: parameters as unknown[],
    ...(name === undefined ? {} : { name }),
    ...(shape === "arrays" ? { rowMode: "array" as const } : {}),
  });
  return rows;
}

export async function run<T>(runner: Runner, work: Work<T>): Promise<T> {
  let step = work.next();
  while (step.done !== true) {
    let rows: readonly unknown[];
    try {
      rows = await rowsOf(runner, step.value);
    } catch (error) {
      step = work.throw(error);
      continue;
    }
    step = work.next(rows);
  }
  return step.value;
}

export interface CommitResult<T> {
  readonly value: T;
  readonly changed: ReadonlySet<number>;
}

/**
 * Runs one transaction, and runs it again from the start if it lost a race, or lost its connection before it was
 * committed. If the answer to the commit was lost, it reads the rows to see whether the commit succeeded.
 */
export async function transact<T>(
  pool: pg.Pool,
  scope: Scope,
  rule: (tx: Transaction) => Work<T>,
  location: string,
): Promise<CommitResult<T>> {
  for (let races = 0, losses = 0; ; ) {
    try {
      return await attempt(pool, scope, { rule, location });
    } catch (error) {
      if (error instanceof LostConnection && losses++ < LIMITS.lostTries) continue;
      if (!isRace(error) || races >= LIMITS.retries) throw translated(causeOf(error), location);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(2 ** races, 50)));
      races++;
    }
  }
}

/** Runs statements that change nothing, and runs them again on another connection if their connection was lost. */
export async function query<T>(pool: pg.Pool, begin: () => Work<T>): Promise<T> {
  for (let losses = 0; ; losses++) {
    const client = await pool.connect();
    let lost: Error | undefined;
    try {
      return await run(client, begin());
    } catch (error) {
      if (!isLost(error)) throw error;
      lost = error;
      if (losses >= LIMITS.lostTries) throw error;
    } finally {
      client.release(lost);
    }
  }
}

/** This error says that a connection was lost, and that nothing was stored. */
class LostConnection extends Error {
  constructor(cause: Error) {
    super("the connection was lost", { cause });
  }
}

function causeOf(error: unknown): unknown {
  return error instanceof LostConnection ? error.cause : error;
}

interface Attempt<T> {
  readonly rule: (tx: Transaction) => Work<T>;
  readonly location: string;
}

async function attempt<T>(
  pool: pg.Pool,
  scope: Scope,
  { rule, location }: Attempt<T>,
): Promise<CommitResult<T>> {
  const changed = new Set<number>();
  const witnesses: Witness[] = [];
  const { client, end } = await commit(pool, () => rule({ ...scope, changed, witnesses }));
  if (end.type === "committed") return { value: end.value, changed };
  // The scope forgets rows that were rolled back.
  scope.lineages.clear();
  const { error } = end;
  if (!isLost(error)) throw error;
  if (end.type === "failed") throw new LostConnection(error);
  if (!(await wasStored(pool, { client, witness: witnesses.at(-1), error, location }))) {
    throw new LostConnection(error);
  }
  return { value: end.value, changed };
}

type CommitOutcome<T> =
  | { readonly type: "committed"; readonly value: T }
  /** The commit was requested, but not answered. */
  | { readonly type: "unanswered"; readonly value: T; readonly error: unknown }
  | { readonly type: "failed"; readonly error: unknown };

/** Runs one transaction on a connection, which goes back to the pool afterwards. */
async function commit<T>(
  pool: pg.Pool,
  begin: () => Work<T>,
): Promise<{ readonly client: pg.PoolClient; readonly end: CommitOutcome<T> }> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on("error", onError);
  let done: { readonly value: T } | undefined;
  try {
    await client.query("begin");
    done = { value: await run(client, begin()) };
    await client.query("commit");
    return { client, end: { type: "committed", ...done } };
  } catch (error) {
    if (isLost(error)) broken ??= error;
    broken ??= await rollback(client);
    return { client, end: done ? { type: "unanswered", ...done, error } : { type: "failed", error } };
  } finally {
    client.off("error", onError);
    client.release(broken);
  }
}

/** Returns the error that makes the connection useless, if there is one. */
async function rollback(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query("rollback");
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
