/** Connections: rules run on them, one statement after the other. */

import pg from "pg";
import { LIMITS, type Scope, type Statement, type Transaction, type Work } from "../engine/index.ts";
import { isRace, translated } from "./failures.ts";

const INT8 = 20;
const BYTEA = 17;

/** Integers as numbers (all of ours are safe ones), bytes as plain `Uint8Array`. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => {
    if (oid === INT8) return Number;
    if (oid === BYTEA) return (text: string) => Uint8Array.from(Buffer.from(text.slice(2), "hex"));
    return format === "binary" ? pg.types.getTypeParser(oid, "binary") : pg.types.getTypeParser(oid, "text");
  }) as pg.CustomTypesConfig["getTypeParser"],
};

export function createPool(url: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    types: TYPES,
    max: 10,
    connectionTimeoutMillis: 10_000,
    application_name: "continuo",
  });
  // The pool replaces an idle connection that breaks; the user of a broken one gets the error.
  pool.on("error", () => undefined);
  // One that breaks while it is used may say so twice. The second time nobody listens, which would end the process.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

const NAMES_KEPT = 500;
const names = new Map<string, string>();

/** Statements are few, and prepared once a connection. */
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

/** One transaction, again from the start when it lost a race. */
export async function transact<T>(
  pool: pg.Pool,
  scope: Scope,
  rule: (tx: Transaction) => Work<T>,
  location: string,
): Promise<CommitResult<T>> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt(pool, scope, rule);
    } catch (error) {
      if (!isRace(error) || tries >= LIMITS.retries) throw translated(error, location);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(2 ** tries, 50)));
    }
  }
}

async function attempt<T>(
  pool: pg.Pool,
  scope: Scope,
  rule: (tx: Transaction) => Work<T>,
): Promise<CommitResult<T>> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on("error", onError);
  try {
    await client.query("begin");
    const changed = new Set<number>();
    const value = await run(client, rule({ ...scope, changed }));
    await client.query("commit");
    return { value, changed };
  } catch (error) {
    // What a rule knew of rows that were rolled back is forgotten.
    scope.lineages.clear();
    broken ??= await rollback(client);
    throw error;
  } finally {
    client.off("error", onError);
    client.release(broken);
  }
}

/** The error that makes the connection useless, if there is one. */
async function rollback(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query("rollback");
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
