import { DatabaseSync } from "node:sqlite";
import { bestTurns } from "@continuo/native/index-file";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type FilteredTurn, isOfSession, isOfTurn, toTurnCondition } from "./filters.ts";
import { parseQuery } from "./query.ts";

const SESSION = { agent: "claude", cwd: "/home/ann/Shop", location: "/f.jsonl", gitBranch: "main" } as const;

const isOf = (text: string, session: Partial<Record<"cwd" | "gitBranch", null>> = {}): boolean =>
  isOfSession({ ...SESSION, ...session }, parseQuery(`word ${text}`, { toTime: (time) => time }));

test("filters match the agent, the folder and the branch of a session, and negated filters exclude them", () => {
  for (const filter of ["agent:Claude", "project:shop", "branch:MAIN"]) {
    expect([isOf(filter), isOf(`-${filter}`)], filter).toEqual([true, false]);
  }
  for (const filter of ["agent:codex", "project:other", "branch:dev"]) {
    expect([isOf(filter), isOf(`-${filter}`)], filter).toEqual([false, true]);
  }
  expect(isOf("agent:codex agent:claude -project:other")).toBe(true);
});

test("a session without a folder is matched by the path of its file, and one without a branch matches no branch", () => {
  expect([isOf("project:f.jsonl", { cwd: null }), isOf("-project:f.jsonl", { cwd: null })]).toEqual([
    true,
    false,
  ]);
  expect([isOf("branch:main", { gitBranch: null }), isOf("-branch:main", { gitBranch: null })]).toEqual([
    false,
    true,
  ]);
});

test("a turn matches only if it has every wanted tool, and a turn without a time has the time of its session", () => {
  const turn = { at: null, tools: ["Bash", "Edit"], files: [], errors: 0 };
  const isOfTurnNow = (text: string): boolean =>
    isOfTurn(turn, { updatedAt: "2026-05-02" }, parseQuery(`word ${text}`, { toTime: (time) => time }));
  expect([isOfTurnNow("tool:bash tool:edit"), isOfTurnNow("tool:bash tool:read")]).toEqual([true, false]);
  expect([isOfTurnNow("since:2026-05-01"), isOfTurnNow("since:2026-05-03")]).toEqual([true, false]);
  // `since:` includes a turn at exactly that time, and `-since:` excludes it.
  expect([isOfTurnNow("since:2026-05-02"), isOfTurnNow("-since:2026-05-02")]).toEqual([true, false]);
});

/** Letters in both cases, signs of JSON, a letter whose lower case is ASCII, and one that SQLite makes no lower case. */
const TEXT = fc.string({
  unit: fc.constantFrom(...'aBz .,/[]"\\\u0000\n\u212aÉé*'),
  minLength: 1,
  maxLength: 2,
});
const TIMES = ["2026-05-01T00:00:00.000Z", "2026-05-02T00:00:00.000Z", "2026-05-03T00:00:00.000Z"];
const TURN = fc.record({
  at: fc.option(fc.constantFrom(...TIMES)),
  tools: fc.array(TEXT, { maxLength: 3 }),
  files: fc.array(TEXT, { maxLength: 3 }),
  errors: fc.nat({ max: 1 }),
});

type Query = Parameters<typeof toTurnCondition>[0];

/** The turns have the numbers of their sessions. */
function createIndex(turns: readonly FilteredTurn[], updatedAt: string | null): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  database.exec(`create table sessions (id, source);
    create table turns (id integer primary key, session, number, at, tools, files, errors, chunk);`);
  for (const [id, { at, tools, files, errors }] of turns.entries()) {
    database.prepare("insert into sessions values (?, ?)").run(id, JSON.stringify({ updatedAt }));
    database
      .prepare("insert into turns values (?, ?, 1, ?, ?, ?, ?, 1)")
      .run(id, id, at, JSON.stringify(tools), JSON.stringify(files), errors);
  }
  return database;
}

function foundIn(database: DatabaseSync, query: Query): readonly number[] {
  const condition = toTurnCondition(query) ?? undefined;
  const found = bestTurns(database, { condition, weights: [], rank: "score", values: {}, without: [] });
  return found.turns.map(([, session]) => session);
}

/** Runs the condition on the turns. */
function foundBySql(
  turns: readonly FilteredTurn[],
  updatedAt: string | null,
  query: Query,
): readonly number[] {
  using database = createIndex(turns, updatedAt);
  return foundIn(database, query);
}

test("SQLite finds the turns that the filters accept, whatever characters names and paths have", () => {
  const filter = fc.record({
    tools: fc.array(TEXT, { maxLength: 1 }),
    files: fc.array(TEXT, { maxLength: 1 }),
    since: fc.option(fc.constantFrom(...TIMES), { freq: 1 }),
  });
  const lower = ({ tools, files, since }: typeof filter extends fc.Arbitrary<infer T> ? T : never) => ({
    tools: tools.map((one) => one.toLowerCase()),
    files: files.map((one) => one.toLowerCase()),
    since,
  });
  const error = fc.option(fc.constant("any" as const), { freq: 1 });
  const turns = fc.array(TURN, { minLength: 1, maxLength: 5 });
  let found = 0;
  fc.assert(
    fc.property(
      fc.record({ turns, wanted: filter, not: filter, error, notError: error }),
      fc.option(fc.constantFrom(...TIMES)),
      ({ turns, wanted, not, error, notError }, updatedAt) => {
        const query = parseQuery("word", { toTime: (time) => time });
        const filtered = {
          ...query,
          ...lower(wanted),
          error,
          not: { ...query.not, ...lower(not), error: notError },
        };
        const expected = turns.flatMap((turn, at) => (isOfTurn(turn, { updatedAt }, filtered) ? [at] : []));
        found += expected.length;
        expect(foundBySql(turns, updatedAt, filtered)).toEqual(expected);
      },
    ),
    { numRuns: 300 },
  );
  expect(found).toBeGreaterThan(50);
});

test.each([
  ["tool:bash", ["Bash", "Bash"], true],
  ["tool:bash", ["Bash2"], false],
  ["tool:bash", ['"Bash'], false],
  ["tool:,", ["a", "b"], false],
  ["file:,", ["a", "b"], false],
  ["file:[", ["a"], false],
  ["file:k", ["\u212a"], true],
  ["tool:é", ["É"], true],
  ["file:a\\b", ["C:\\A\\B"], true],
])("SQLite finds %s in %j: %s", (text, names, isFound) => {
  const turn = { at: null, tools: names, files: names, errors: 0 };
  const query = parseQuery(`word ${text}`, { toTime: (time) => time });
  expect(foundBySql([turn], null, query)).toEqual(isFound ? [0] : []);
});

test("a list of tools that is cut off is an error, also if SQLite could check it", () => {
  using database = createIndex([{ at: null, tools: [], files: [], errors: 0 }], null);
  database.exec(`update turns set tools = '["Ba'`);
  const query = parseQuery("word tool:bash", { toTime: (time) => time });
  expect(() => foundIn(database, query)).toThrow("a row of the index is damaged");
});
