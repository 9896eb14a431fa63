import type pg from "pg";
import { expect, test, vi } from "vitest";
import { LIMITS, type Scope, sql, type Transaction, type Work } from "../engine/index.ts";
import { connectAwake, run, transact } from "./connections.ts";
import { POSTGRES } from "./dialect.ts";

/** A module of its own: other tests of this worker prepare statements too, and the names are counted. */
const FRESH = "./connections.ts?fresh";
const { rowsOf } = (await import(FRESH)) as typeof import("./connections.ts");

type Config = pg.QueryConfig & { readonly rowMode?: string };

/** Answers each query with its text, and keeps what it was asked. */
function recorder() {
  const asked: Config[] = [];
  return {
    asked,
    query: async (config: pg.QueryConfig | pg.QueryArrayConfig) => {
      asked.push(config);
      return { rows: [{ text: config.text }] };
    },
  };
}

test("a statement is prepared under a name of its own, the same one each time", async () => {
  const { asked, query } = recorder();
  for (const text of ["select 'one'", "select 'two'", "select 'one'"]) {
    const parameters = [text.length];
    expect(await rowsOf({ query }, { sql: text, parameters })).toEqual([{ text }]);
  }
  const [one, two, again] = asked;
  expect(one).toEqual({ text: "select 'one'", values: [12], name: expect.stringMatching(/^continuo_\d+$/u) });
  expect(again).toEqual(one);
  expect(two?.name).toMatch(/^continuo_\d+$/u);
  expect(two?.name).not.toBe(one?.name);
});

test.each([
  ["arrays", "array"],
  ["none", undefined],
  [undefined, undefined],
] as const)("rows of the shape %s are asked for in the row mode %s", async (shape, rowMode) => {
  const { asked, query } = recorder();
  const statement = { sql: "select 3", parameters: [] };
  await rowsOf({ query }, shape === undefined ? statement : { ...statement, shape });
  expect(asked[0]?.rowMode).toBe(rowMode);
});

test("however many statements there are, a connection keeps a bounded number of them prepared", async () => {
  const { asked, query } = recorder();
  for (let n = 0; n < 600; n++) await rowsOf({ query }, { sql: `select ${n} as many`, parameters: [] });
  const named = asked.filter(({ name }) => name !== undefined);
  expect(new Set(named.map(({ name }) => name)).size).toBe(named.length);
  expect(named.length).toBeLessThanOrEqual(500);
  expect(named.length).toBeGreaterThan(400);
  expect(asked.at(-1)).not.toHaveProperty("name");
});

const SCOPE = { dialect: POSTGRES, lineages: new Map([[1, []]]) } as unknown as Scope;

test("a rule gets the rows of each statement, and its value is the result", async () => {
  function* rule(): Work<unknown> {
    const first = yield* sql(SCOPE, "select ?", 1);
    const second = yield* sql(SCOPE, "select ?, ?", 1, 2);
    return [...first, ...second];
  }
  expect(await run(recorder(), rule())).toEqual([{ text: "select $1" }, { text: "select $1, $2" }]);
});

test("a rule may catch the error of a statement and continue", async () => {
  const query = async ({ text }: pg.QueryConfig | pg.QueryArrayConfig) => {
    if (text === "bad") throw new Error("refused");
    return { rows: [text] };
  };
  function* rule(): Work<unknown> {
    try {
      yield* sql(SCOPE, "bad");
    } catch (error) {
      return [(error as Error).message, ...(yield* sql(SCOPE, "good"))];
    }
    return "not refused";
  }
  expect(await run({ query }, rule())).toEqual(["refused", "good"]);
});

/** A pool of one connection. `failing` has the error codes of the next failures, by the text of the query. */
function poolThat(failing: Readonly<Record<string, string[]>> = {}) {
  const asked: string[] = [];
  const released: unknown[] = [];
  const listeners = new Set<(error: Error) => void>();
  const client = {
    on: (_: string, listener: (error: Error) => void) => listeners.add(listener),
    off: (_: string, listener: (error: Error) => void) => listeners.delete(listener),
    release: (broken?: Error) => released.push(broken?.message),
    query: async (config: string | pg.QueryConfig) => {
      const text = typeof config === "string" ? config : config.text;
      asked.push(text);
      const code = failing[text]?.shift();
      if (code === "break") for (const listener of listeners) listener(new Error("connection broke"));
      if (code !== undefined) throw Object.assign(new Error("it failed"), { code });
      return { rows: [] };
    },
  };
  const pool = { connect: async () => client } as unknown as pg.Pool;
  return { pool, asked, released, listeners };
}

function* change(tx: Transaction): Work<string> {
  yield* sql(tx, "update logs");
  tx.changed.add(7);
  return "done";
}

const ROUND = ["begin", "update logs"];

test("a transaction is committed, and says which logs it changed", async () => {
  const { pool, asked, released, listeners } = poolThat();
  expect(await transact(pool, SCOPE, change, "x")).toEqual({ value: "done", changed: new Set([7]) });
  expect([asked, released, listeners.size]).toEqual([[...ROUND, "commit"], [undefined], 0]);
  expect(SCOPE.lineages.size).toBe(1);
});

test.each([
  ["update logs", [...ROUND, "rollback"]],
  ["commit", [...ROUND, "commit", "rollback"]],
])("a transaction that lost a race in `%s` is run again from the start", async (where, first) => {
  const { pool, asked, released } = poolThat({ [where]: ["40001", "40P01"] });
  const scope = { ...SCOPE, lineages: new Map([[1, []]]) };
  expect(await transact(pool, scope, change, "x")).toEqual({ value: "done", changed: new Set([7]) });
  expect(asked).toEqual([...first, ...first, ...ROUND, "commit"]);
  expect(released).toEqual([undefined, undefined, undefined]);
  // The scope forgot what it knew of rows that were rolled back.
  expect(scope.lineages.size).toBe(0);
});

test("a transaction that loses every race is busy after a bounded number of tries", async () => {
  const { pool, asked } = poolThat({ begin: Array.from({ length: 200 }, () => "40001") });
  const delay = Math.random;
  Math.random = () => 0;
  try {
    await expect(transact(pool, SCOPE, change, "x")).rejects.toMatchObject({
      code: "busy",
      message: "the database x rolled back a transaction too often",
    });
  } finally {
    Math.random = delay;
  }
  expect(asked.filter((text) => text === "begin").length).toBe(LIMITS.retries + 1);
});

test("an error other than a lost race is thrown at once, and the connection is used again", async () => {
  const { pool, asked, released } = poolThat({ "update logs": ["53100"] });
  await expect(transact(pool, SCOPE, change, "x")).rejects.toMatchObject({ code: "unavailable" });
  expect([asked, released]).toEqual([[...ROUND, "rollback"], [undefined]]);
});

test.each([
  ["breaks", { "update logs": ["break"] }, "connection broke", [...ROUND]],
  [
    "cannot be rolled back",
    { "update logs": ["53100"], rollback: ["08006"] },
    "it failed",
    [...ROUND, "rollback"],
  ],
])("a connection that %s is not used again", async (_what, failing, reason, expected) => {
  const { pool, asked, released, listeners } = poolThat(failing as Record<string, string[]>);
  await expect(transact(pool, SCOPE, change, "x")).rejects.toMatchObject({ code: "unavailable" });
  expect([asked, released, listeners.size]).toEqual([expected, [reason], 0]);
});

const TIMEOUT = new Error("timeout exceeded when trying to connect");

type Time = { readonly awakeMs: number } | { readonly stillMs: number };

/** Each of `times` is the duration of one connection attempt that fails; the attempt after them succeeds. */
function connectingAfter(error: Error, ...times: (readonly Time[])[]) {
  let at = 0;
  return {
    now: () => at,
    connect: async () => {
      const time = times.shift();
      if (time === undefined) return "connected";
      for (const part of time) {
        if ("stillMs" in part) at += part.stillMs;
        else for (const end = at + part.awakeMs; at < end; vi.advanceTimersByTime(250)) at += 250;
      }
      throw error;
    },
  };
}

const STOPPED: readonly Time[] = [{ awakeMs: 500 }, { stillMs: 12_000 }];
const STOPPED_AT_FIRST: readonly Time[] = [{ stillMs: 9_000 }, { awakeMs: 1_000 }];
const AWAKE: readonly Time[] = [{ awakeMs: 10_000 }];

test("a time limit for connecting that ran out while the process stood still begins again", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const { connect, now } = connectingAfter(TIMEOUT, STOPPED, STOPPED_AT_FIRST);
    expect(await connectAwake(connect, now)).toBe("connected");
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  ["of a database that does not answer", TIMEOUT, [AWAKE]],
  ["that is none of time", new Error("refused"), [STOPPED]],
  ["that comes a third time", TIMEOUT, [STOPPED, STOPPED, STOPPED]],
])("a failure to connect %s is reported", async (_, error, times) => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const { connect, now } = connectingAfter(error, ...times);
    await expect(connectAwake(connect, now)).rejects.toBe(error);
  } finally {
    vi.useRealTimers();
  }
});
