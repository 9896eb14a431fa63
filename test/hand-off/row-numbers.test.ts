/**
 * Rows of a real opencode's database have numbers that JavaScript cannot represent, or would write in another form.
 * They keep their form on the way back, in a fork, in a repair, and when the result of a call is added.
 */

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  forkNativeSession,
  type HandOff,
  handOff,
  openSessionAdapter,
  type Places,
  repairNativeSession,
} from "@continuo/agents";
import type { AgentName } from "@continuo/core/model";
import { beforeEach, describe, expect, test } from "vitest";
import { copyHome } from "../fixture-home.ts";
import { scratchFolder } from "../scratch-folder.ts";

const NUMBERS = '"numbers":[9007199254740993,12.0,1e3,-0],"in":{"it":12.0}';

let scratch: string;
let places: Places;
let database: string;
let id: string;

beforeEach(async () => {
  scratch = scratchFolder("row-numbers");
  mkdirSync(join(scratch, "work"));
  const copied = await copyHome(scratch, ["opencode", "parallel-tools"]);
  places = { ...copied.places, env: { ...copied.places.env, CONTINUO_HOME: join(scratch, "continuo") } };
  const [session] = copied.sessions;
  database = session?.location.replace(/#.*/u, "") ?? "";
  id = session?.sessionId ?? "";
  for (const table of ["message", "part"]) {
    sql(`update ${table} set data = substr(data, 1, length(data) - 1) || ',${NUMBERS}}'`);
  }
});

function sql(text: string): readonly Readonly<Record<string, unknown>>[] {
  using open = new DatabaseSync(database);
  return open.prepare(text).all();
}

const rowsOf = (table: string, session: string): readonly string[] =>
  sql(`select data from ${table} where session_id = '${session}' order by id`).map(({ data }) =>
    String(data),
  );

/** Returns the content of the session's rows, without the names of other rows and folders. */
function numbersIn(session: string): { readonly rows: number; readonly as: readonly string[] } {
  const rows = [...rowsOf("message", session), ...rowsOf("part", session)];
  return { rows: rows.length, as: [...new Set(rows.map((data) => data.slice(data.indexOf('"numbers"'))))] };
}

async function go(from: string, to: AgentName): Promise<HandOff> {
  return await handOff(from, { to, cwd: join(scratch, "work"), places, verifyBy: "own" });
}

describe("numbers in opencode's rows keep their form", () => {
  test.each(["the session", "the copy"])("on the way back, from %s", async (from) => {
    const before = numbersIn(id);
    expect(before).toEqual({ rows: before.rows, as: [`${NUMBERS}}`] });
    const there = await go(`opencode:${id}`, "pi");
    if (from === "the copy") for (const table of ["part", "message", "session"]) sql(`delete from ${table}`);
    const back = await go(`pi:${there.sessionId}`, "opencode");
    expect(back.broughtBack).toMatchObject({ sessionId: id, as: "records" });
    expect(numbersIn(back.sessionId ?? "")).toEqual(before);
  });

  test("in a fork, whose parts are the same to the byte", async () => {
    const fork = await forkNativeSession(`opencode:${id}`, { places });
    expect(numbersIn(fork.sessionId)).toEqual(numbersIn(id));
    expect(rowsOf("part", fork.sessionId)).toEqual(rowsOf("part", id));
  });

  test("in a repair in place, and in a copy for an import", async () => {
    const call = openCall();
    const file = join(scratch, "repaired.json");
    const copied = await repairNativeSession(`opencode:${id}`, { places, write: { file } });
    expect(copied.edits).toMatchObject([
      { type: "changed", row: call, after: expect.stringContaining(NUMBERS) },
    ]);
    const written = readFileSync(file, "utf8");
    expect(written.split(NUMBERS)).toHaveLength(numbersIn(id).rows + 1);
    expect(written).toContain(INPUT);
    const read = await go(file, "opencode");
    expect(numbersIn(read.sessionId ?? "")).toEqual(numbersIn(id));
    const others = rowsOf("part", id).filter((data) => !data.includes(INPUT));
    await repairNativeSession(`opencode:${id}`, { places, write: "in place" });
    const mended = rowsOf("part", id).filter((data) => data.includes('"Tool execution aborted"'));
    expect(mended).toEqual([expect.stringContaining(`${INPUT},"error"`)]);
    expect(mended[0]).toContain(NUMBERS);
    expect(rowsOf("part", id).filter((data) => data !== mended[0])).toEqual(others);
  });

  test("when the result of a waiting call is added", async () => {
    openCall();
    await using adapter = openSessionAdapter({
      format: "opencode",
      sessionFile: database,
      sessionId: id,
      places,
    });
    await adapter.appendToolResult("call_x", "a note");
    const ended = rowsOf("part", id).filter((data) => data.includes('"a note"'));
    expect(ended).toEqual([expect.stringContaining(`${INPUT},"output"`)]);
    expect(ended[0]).toContain(NUMBERS);
  });
});

const INPUT = '"input":{"n":12.0,"big":9007199254740993}';

/** The last call of the session waits for its result. */
function openCall(): unknown {
  const state = `{"status":"running",${INPUT},"time":{"start":1783706230862}}`;
  const [call] = sql(
    `select id from part where session_id = '${id}' and json_extract(data, '$.type') = 'tool' order by id desc limit 1`,
  );
  sql(
    `update part set data = '{"type":"tool","callID":"call_x","tool":"read","state":${state},${NUMBERS}}' where id = '${call?.id}'`,
  );
  return call?.id;
}
