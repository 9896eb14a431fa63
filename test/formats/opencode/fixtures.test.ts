/** Tests over the sessions that the real opencode wrote: `test/fixtures/opencode`, and the examples. */

import { cpSync, mkdirSync, readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import type { Places } from "@continuo/files";
import type { FoundSession } from "@continuo/native/kit";
import { opencodeFormat } from "@continuo/native/opencode";
import { describe, expect, test } from "vitest";
import { useScratch } from "./sessions.ts";

const FIXTURES = join(import.meta.dirname, "../../fixtures/opencode");
const HOMES: readonly [string, string][] = [
  ...readdirSync(FIXTURES).map((name): [string, string] => [name, join(FIXTURES, name, "home")]),
  ["examples", join(import.meta.dirname, "../../../examples/sessions/opencode")],
];

const PROBLEMS: Readonly<Record<string, readonly string[]>> = {
  killed: ["call_without_result"],
  "both-generations": ["diverged_copy"],
};

const { folder } = useScratch();

const placesOf = (home: string): Places => ({ home: "/nonexistent", env: { XDG_DATA_HOME: home } });

async function findAll(home: string): Promise<FoundSession[]> {
  return await Array.fromAsync(opencodeFormat.find(placesOf(home), {}));
}

describe.each(HOMES)("what opencode wrote: %s", (name, home) => {
  test("has the same row whether skimmed or read in full, and only the problems that were made", async () => {
    for (const found of await findAll(home)) {
      const { problems, ...row } = await opencodeFormat.skim(found, { part: "whole" });
      using session = await opencodeFormat.open(found, placesOf(home), {});
      expect(session.details).toMatchObject(row);
      expect(problems).toEqual([]);
      expect(session.problems.map(({ code }) => code)).toEqual(PROBLEMS[name] ?? []);
    }
  });

  test("gives every row as an entry, verbatim, and every message the rows that it was made of", async () => {
    for (const found of await findAll(home)) {
      using session = await opencodeFormat.open(found, placesOf(home), {});
      const entries = await Array.fromAsync(session.entries());
      expect(entries.map(({ value }) => value)).toEqual(rowsIn(found));
      const byRow = new Map(entries.map((entry) => [entry.row, entry.value]));
      for await (const { metadata } of session.history({ native: true })) {
        expect(metadata.native).toEqual(metadata.records?.map(({ row }) => byRow.get(row)));
      }
    }
  });

  test("has as many messages on each branch as it says, each with an id of its own", async () => {
    for (const found of await findAll(home)) {
      using session = await opencodeFormat.open(found, placesOf(home), {});
      for (const { id, messages } of session.leaves) {
        const history = await Array.fromAsync(session.history({ leaf: id }));
        expect([history.length, new Set(history.map((message) => message.id)).size]).toEqual([
          messages,
          messages,
        ]);
      }
    }
  });

  test("is read without a trace", async () => {
    const copy = join(folder(), "home");
    mkdirSync(copy);
    cpSync(home, copy, { recursive: true });
    const all = ["", ...readdirSync(copy, { recursive: true, encoding: "utf8" }).sort().reverse()];
    for (const each of all.toReversed()) utimesSync(join(copy, each), 1_600_000_000, 1_600_000_000);
    const look = (): unknown => [
      readdirSync(copy, { recursive: true }),
      all.map((each) => [statSync(join(copy, each)).mtimeMs, statSync(join(copy, each)).ctimeMs]),
    ];
    const before = look();
    for (const found of await findAll(copy)) {
      await opencodeFormat.skim(found, { part: "whole" });
      using session = await opencodeFormat.open(found, placesOf(copy), {});
      await Array.fromAsync(session.entries());
    }
    expect(look()).toEqual(before);
  });
});

/** The rows of a session in opencode's order. This reader shares no code with the one under test. */
function rowsIn({ location, sessionId }: FoundSession): unknown[] {
  const path = location.slice(0, location.lastIndexOf("#"));
  const url = pathToFileURL(path);
  url.searchParams.set("immutable", "1");
  const database = new DatabaseSync(url, { readOnly: true });
  const rowsOf = (sql: string, id: unknown): Record<string, unknown>[] =>
    database
      .prepare(sql)
      .all(String(id))
      .map((row) => ({ ...row }));
  const parsed = (row: Record<string, unknown>): unknown => ({ ...row, data: JSON.parse(String(row.data)) });
  const messages = rowsOf("select * from message where session_id = ? order by time_created, id", sessionId);
  const second = rowsOf("select * from session_message where session_id = ? order by seq", sessionId);
  const isSilent = ({ type }: Record<string, unknown>): boolean => /-switched$/u.test(String(type));
  const rows = [
    ...rowsOf("select * from session where id = ?", sessionId),
    ...(messages.length > 0 ? [] : second.toSorted((a, b) => Number(isSilent(a)) - Number(isSilent(b)))).map(
      parsed,
    ),
    ...messages.flatMap((message) => [
      parsed(message),
      ...rowsOf("select * from part where message_id = ? order by id", message.id).map(parsed),
    ]),
  ];
  database.close();
  return rows;
}
