import { expect, test } from "vitest";
import type { EventRow } from "../engine/index.ts";
import { columnsOf, EVENT_TYPES_SQL, POSTGRES } from "./dialect.ts";

function row(sequence: number): EventRow {
  const hashes = [`p${sequence}`, `c${sequence}`] as const;
  return [
    1,
    sequence,
    `e${sequence}`,
    "t",
    null,
    "{}",
    null,
    "o",
    "r",
    1,
    "{}",
    null,
    ...hashes,
    null,
    sequence * 10,
  ];
}

const COLUMNS =
  "log_key, sequence, event_id, type, parent_id, actor, run_id, occurred_at, recorded_at, retention, payload, bytes, payload_hash, chain_hash, extras, media_time_ms";

const plain = (sql: string): string => sql.replaceAll(/\s+/gu, " ");

test("placeholders are numbered in their order, and the same text stays the same", () => {
  const text = "select ? from t where a = ? and b in (?, ?)";
  for (let again = 0; again < 2; again++) {
    expect(POSTGRES.placeholders(text)).toBe("select $1 from t where a = $2 and b in ($3, $4)");
  }
  expect(POSTGRES.placeholders("select 1")).toBe("select 1");
});

test("however many texts there are, each has its own placeholders", () => {
  for (let n = 0; n < 2_100; n++) expect(POSTGRES.placeholders(`select ${n}, ?`)).toBe(`select ${n}, $1`);
});

test("no events need no statement, one event is its row, and several are one array for each column", () => {
  expect(POSTGRES.insertEvents([])).toEqual([]);
  const [one] = POSTGRES.insertEvents([row(1)]);
  const places = Array.from({ length: 16 }, (_, n) => `$${n + 1}`).join(", ");
  expect(plain(one?.sql ?? "")).toBe(`insert into events (${COLUMNS}) values (${places})`);
  expect(one?.parameters).toEqual(row(1));
  const [many, ...others] = POSTGRES.insertEvents([row(1), row(2)]);
  const arrays = EVENT_TYPES_SQL.map((type, n) => `$${n + 1}::${type}[]`).join(", ");
  expect(plain(many?.sql ?? "")).toBe(`insert into events (${COLUMNS}) select * from unnest(${arrays})`);
  expect([many?.parameters, others]).toEqual([columnsOf([row(1), row(2)]), []]);
});

test("rows become columns", () => {
  const columns = columnsOf([row(1), row(2)]);
  expect(columns.length).toBe(16);
  expect([columns[1], columns[2], columns[15]]).toEqual([
    [1, 2],
    ["e1", "e2"],
    [10, 20],
  ]);
});

test.each([
  [100, "bytes_before <= 100"],
  [99.9, "bytes_before <= 99"],
  [0, "bytes_before <= 0"],
  [-5, "bytes_before <= 0"],
])("a budget of %d bytes is a whole number in the text of a bounded query", (budgetBytes, expected) => {
  const bounded = POSTGRES.bounded("select 1", { body: "payload", direction: "desc", budgetBytes });
  expect(bounded).toContain(expected);
});
