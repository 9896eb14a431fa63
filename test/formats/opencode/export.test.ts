import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkNativeSession, openNativeSession } from "@continuo/agents";
import { opencodeFormat } from "@continuo/native/opencode";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { flipped, truncated } from "../../damage.ts";
import { scratchFolder } from "../../scratch-folder.ts";
import { rounds } from "../../sizes/counts.ts";
import { FIRST_MS, placesOf, SESSION, text, toolPart } from "./sessions.ts";

const scratch = scratchFolder("opencode-export");

const INFO = {
  id: SESSION,
  slug: "calm-kettle",
  title: "Tea",
  directory: "/home/dev/tea",
  version: "1.18.33",
  time: { created: FIRST_MS, updated: FIRST_MS + 60_000 },
};

interface Exported {
  readonly info: Readonly<Record<string, unknown>>;
  readonly parts: readonly Readonly<Record<string, unknown>>[];
}

function message(id: string, role: string, at: number, ...parts: readonly object[]): Exported {
  return {
    info: { id, sessionID: SESSION, role, time: { created: FIRST_MS + at }, agent: "build" },
    parts: parts.map((part, number) => ({
      ...part,
      id: `prt_${id}_${number}`,
      sessionID: SESSION,
      messageID: id,
    })),
  };
}

const MESSAGES = [
  message("msg_1", "user", 0, text("Name the timer.")),
  message(
    "msg_2",
    "assistant",
    1000,
    toolPart("c1", { status: "completed", output: "x", time: {} }),
    text("`steep`"),
  ),
];

function write(document: unknown, before = ""): string {
  const path = join(mkdtempSync(join(scratch, "export-")), "session.json");
  writeFileSync(path, before + (typeof document === "string" ? document : JSON.stringify(document, null, 1)));
  return path;
}

const places = placesOf("/nowhere.db");

async function codesOf(path: string): Promise<string[]> {
  return (await checkNativeSession(path, { places })).problems.map(({ code }) => code);
}

test("an export is read like the rows it was made of", async () => {
  const path = write({ info: { ...INFO, time: { ...INFO.time, archived: FIRST_MS } }, messages: MESSAGES });
  using session = await openNativeSession(path, { places });
  expect(session.details).toMatchObject({
    sessionId: SESSION,
    location: path,
    cwd: "/home/dev/tea",
    title: "Tea",
    archived: true,
    updatedAt: "2026-05-06T07:01:00.000Z",
    messages: { total: 3, user: 1, assistant: 1, tool: 1 },
    problems: [],
  });
  const entries = await Array.fromAsync(session.entries());
  expect(entries.map(({ line, row, type }) => [line, row, type])).toEqual([
    [null, SESSION, "session"],
    [null, "msg_1", "user"],
    [null, "prt_msg_1_0", "text"],
    [null, "msg_2", "assistant"],
    [null, "prt_msg_2_0", "tool"],
    [null, "prt_msg_2_1", "text"],
  ]);
  expect(entries.slice(1).map(({ value }) => value)).toEqual(
    MESSAGES.flatMap(({ info, parts }) => [info, ...parts]),
  );
});

describe("problems of an export", () => {
  test.each<[string, string[], unknown, string]>([
    ["nothing", [], { info: INFO, messages: MESSAGES }, ""],
    ["a byte order mark", ["byte_order_mark"], { info: INFO, messages: MESSAGES }, "\ufeff"],
    ["no messages at all", ["empty"], { info: INFO, messages: [] }, ""],
    [
      "a file that breaks off",
      ["bad_json", "missing_header", "empty"],
      JSON.stringify({ info: INFO, messages: MESSAGES }).slice(0, -40),
      "",
    ],
    ["no list of messages", ["bad_record", "empty"], { info: INFO }, ""],
    ["something else among the messages", ["bad_record"], { info: INFO, messages: [...MESSAGES, 7] }, ""],
    [
      "a part that is no object",
      ["missing_id", "bad_record"],
      { info: INFO, messages: [{ ...MESSAGES[0], parts: [7] }] },
      "",
    ],
    ["messages in another order", ["bad_order"], { info: INFO, messages: [...MESSAGES].reverse() }, ""],
    [
      "a message that stands twice",
      ["duplicate_id"],
      { info: INFO, messages: [...MESSAGES, { ...MESSAGES[0], parts: [] }] },
      "",
    ],
    [
      "a message of another session",
      ["wrong_session_id"],
      {
        info: { ...INFO, id: "ses_9" },
        messages: MESSAGES.slice(0, 1).map(({ info }) => ({ info, parts: [] })),
      },
      "",
    ],
  ])("%s: %j", async (_what, codes, document, before) => {
    expect((await codesOf(write(document, before))).sort()).toEqual(codes.sort());
  });
});

test("messages are read by time, then id, as after an import", async () => {
  const shuffled = [
    message("msg_b", "user", 5, text("3")),
    message("msg_c", "user", 1, text("1")),
    message("msg_a", "user", 5, text("2")),
  ];
  using session = await openNativeSession(write({ info: INFO, messages: shuffled }), { places });
  expect((await Array.fromAsync(session.history())).map(({ id }) => id)).toEqual(["msg_c", "msg_a", "msg_b"]);
});

test("a damaged export never throws, and keeps what can be read", async () => {
  const bytes = Buffer.from(JSON.stringify({ info: INFO, messages: MESSAGES }));
  await fc.assert(
    fc.asyncProperty(fc.oneof(truncated(bytes), flipped(bytes)), async (damage) => {
      const path = join(scratch, "damaged.json");
      writeFileSync(path, damage.bytes);
      const found = await opencodeFormat.recognise(path, places);
      if (found === null) return;
      using session = await opencodeFormat.open(found, places, {});
      const history = await Array.fromAsync(session.history());
      expect(history.length, damage.what).toBe(session.leaves[0]?.messages ?? 0);
      expect((await Array.fromAsync(session.entries())).length, damage.what).toBe(session.details.records);
      opencodeFormat.modelView(history);
      const { problems: _problems, ...row } = await opencodeFormat.skim(found, { part: "whole" });
      expect(session.details, damage.what).toMatchObject(row);
    }),
    { numRuns: rounds(200) },
  );
});
