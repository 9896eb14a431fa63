import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Places, parseCommented } from "@continuo/files";
import { describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { expiryProblems } from "./expiry.ts";
import { geminiFormat } from "./index.ts";
import { readRetention, toRetention } from "./settings.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const NOW = Date.parse("2026-05-31T00:00:00.000Z");

const scratch = scratchFolder("gemini-expiry");

describe("when Gemini CLI deletes a session because of its age", () => {
  const byDefault = toRetention({});

  test.each([
    ["2026-05-20T00:00:00.000Z", []],
    ["2026-05-03T00:00:00.000Z", ["from 2026-06-02 on"]],
    ["2026-04-01T00:00:00.000Z", ["at its next start in this folder (due since 2026-05-01)"]],
  ])("last updated %s", (lastUpdated, expected) => {
    const told = expiryProblems(lastUpdated, byDefault, NOW).map(({ code, message }) => [code, message]);
    expect(told).toEqual(
      expected.map((when) => [
        "expires_soon",
        `Gemini CLI deletes this session ${when}: general.sessionRetention.maxAge is 30d`,
      ]),
    );
  });

  test("never if the metadata have no time, which counts as now", () => {
    expect(expiryProblems(null, byDefault, NOW)).toEqual([]);
  });

  test.each([
    [{}, true, 30 * DAY_MS],
    [{ enabled: false }, false, 30 * DAY_MS],
    [{ maxAge: "2w" }, true, 14 * DAY_MS],
    [{ maxAge: "1m" }, true, 30 * DAY_MS],
    [{ maxAge: "48h" }, true, 2 * DAY_MS],
    // With a period below the minimum, or without a valid period, Gemini CLI deletes nothing.
    [{ maxAge: "12h" }, false, DAY_MS / 2],
    [{ maxAge: "12h", minRetention: "6h" }, true, DAY_MS / 2],
    [{ maxAge: "soon" }, false, null],
    [{ maxAge: "0d" }, false, null],
    [{ maxCount: 5 }, true, 30 * DAY_MS],
    [{ maxCount: 0 }, false, 30 * DAY_MS],
  ])("settings %j", (settings, enabled, maxAgeMs) => {
    expect(toRetention(settings)).toMatchObject({ enabled, maxAgeMs });
  });

  test("settings may hold comments; those of the project count over those of the user", () => {
    expect(parseCommented('{ /* no */ "a": "//x", // y\n "b": 1 }')).toEqual({ a: "//x", b: 1 });
    const config = join(scratch, "settings", ".gemini");
    const cwd = join(scratch, "settings", "project");
    write(join(config, "settings.json"), '{ "general": { "sessionRetention": { "maxAge": "7d" } } } // mine');
    write(join(cwd, ".gemini/settings.json"), '{ "general": { "sessionRetention": { "enabled": false } } }');
    expect(readRetention(config, null)).toMatchObject({ enabled: true, maxAgeMs: 7 * DAY_MS, maxAge: "7d" });
    expect(readRetention(config, cwd)).toMatchObject({ enabled: false, maxAge: "7d" });
  });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const SAID = '{"id":"1","type":"user","content":"Hello."}\n';
const CONTEXT =
  '{"$set":{"messages":[{"id":"c","type":"user","content":[{"text":"<session_context>\\nToday.\\n</session_context>"}]}]}}\n';
const header = (id: string): string => `{"sessionId":"${id}","projectHash":"x"}\n`;
const ID = "0f111111-0000-4000-8000-000000000001";

/** Codes of every session of a home with these files in one folder, by the name of the file. */
async function codesIn(files: Readonly<Record<string, string>>, settings = "{}"): Promise<unknown> {
  const home = mkdtempSync(join(scratch, "home-"));
  write(join(home, ".gemini/settings.json"), settings);
  for (const [name, text] of Object.entries(files)) write(join(home, ".gemini/tmp/tea/chats", name), text);
  const places: Places = { home, env: {} };
  const codes: Record<string, readonly string[]> = {};
  for await (const found of geminiFormat.find(places, {})) {
    using session = await geminiFormat.open(found, places, {});
    codes[found.location.slice(found.location.lastIndexOf("/") + 1)] = session.problems.map(
      ({ code }) => code,
    );
  }
  return codes;
}

describe("what Gemini CLI deletes at its next start", () => {
  test("a session whose neighbour of the same eight characters holds nothing but the context of a start", async () => {
    const files = {
      "session-2026-05-06T07-00-0f111111.jsonl": header(ID) + SAID,
      "session-2026-05-06T08-00-0f111111.jsonl": header(ID) + CONTEXT,
    };
    expect(await codesIn(files)).toEqual({ "session-2026-05-06T07-00-0f111111.jsonl": ["deleted_on_start"] });
    const off = '{ "general": { "sessionRetention": { "enabled": false } } }';
    expect(await codesIn(files, off)).toEqual({ "session-2026-05-06T07-00-0f111111.jsonl": [] });
  });

  test("a session whose neighbour is broken, or belongs to another session", async () => {
    const other = "0f111111-0000-4000-8000-00000000000f";
    expect(
      await codesIn({
        "session-2026-05-06T07-00-0f111111.jsonl": header(ID) + SAID,
        "session-2026-05-06T08-00-0f111111.jsonl": header(other) + CONTEXT,
      }),
    ).toEqual({
      "session-2026-05-06T07-00-0f111111.jsonl": ["deleted_on_start"],
      "session-2026-05-06T08-00-0f111111.jsonl": ["deleted_on_start"],
    });
  });

  test("a session whose neighbour of the same eight characters is too old", async () => {
    const other = "0f111111-0000-4000-8000-00000000000f";
    const old = `{"sessionId":"${other}","projectHash":"x","lastUpdated":"2026-01-01T00:00:00.000Z"}\n`;
    const young = "session-2026-05-06T07-00-0f111111.jsonl";
    const files = {
      [young]: header(ID) + SAID,
      "session-2026-01-01T08-00-0f111111.jsonl": old + SAID,
    };
    expect(await codesIn(files)).toMatchObject({ [young]: ["deleted_on_start"] });
    const long = '{ "general": { "sessionRetention": { "maxAge": "1000w" } } }';
    expect(await codesIn(files, long)).toMatchObject({ [young]: [] });
  });

  test("a session whose file name has another form is not affected", async () => {
    expect(
      await codesIn({
        [`session-${ID}.jsonl`]: header(ID) + SAID,
        "session-2026-05-06T08-00-0f111111.jsonl": header(ID) + CONTEXT,
      }),
    ).toEqual({ [`session-${ID}.jsonl`]: [] });
  });

  test("a file that it cannot list: without a project hash, or with nothing said in it", async () => {
    const rewound = `${header("0f333333-0000-4000-8000-000000000003")}${SAID}{"$rewindTo":"1"}\n`;
    expect(
      await codesIn({
        "session-2026-05-06T07-00-0f222222.jsonl": `{"sessionId":"${ID}"}\n${SAID}`,
        "session-2026-05-06T07-00-0f333333.jsonl": rewound,
        "session-2026-05-06T07-00-0f444444.jsonl": header("0f444444-0000-4000-8000-000000000004") + CONTEXT,
      }),
    ).toEqual({
      "session-2026-05-06T07-00-0f222222.jsonl": ["missing_header", "missing_session_id", "deleted_on_start"],
      "session-2026-05-06T07-00-0f333333.jsonl": ["deleted_on_start"],
      "session-2026-05-06T07-00-0f444444.jsonl": ["deleted_on_start"],
    });
  });

  test("nothing outside of the folders where it looks", async () => {
    const path = join(scratch, "elsewhere", "session-2026-05-06T07-00-0f444444.jsonl");
    write(path, header(ID) + CONTEXT);
    const found = await geminiFormat.recognise(path, { home: scratch, env: {} });
    if (found === null) throw new Error("not recognised");
    using session = await geminiFormat.open(found, { home: scratch, env: {} }, {});
    expect(session.problems).toEqual([]);
  });
});
