/** Every problem that this reader names, each from the smallest file that has it. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Problem } from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { piFormat } from "./index.ts";

const PLACES = { home: "/nonexistent", env: {} };
const ID = "0c000000-0000-4000-8000-000000000001";
const NAME = `2026-05-06T07-00-00-000Z_${ID}.jsonl`;
const HEADER = {
  type: "session",
  version: 3,
  id: ID,
  timestamp: "2026-05-06T07:00:00.000Z",
  cwd: "/home/dev/tea",
};

/** pi counts the tokens of each answer, and refuses to continue after one that it cannot count. */
const USAGE = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 };

const said = (id: string, parentId: string | null, text = id) => ({
  type: "message",
  id,
  parentId,
  timestamp: "2026-05-06T07:00:01.000Z",
  message: { role: "user", content: text },
});
const called = (id: string, parentId: string | null, callId: string, stopReason = "toolUse") => ({
  ...said(id, parentId),
  message: {
    role: "assistant",
    content: [{ type: "toolCall", id: callId, name: "read", arguments: {} }],
    usage: USAGE,
    stopReason,
  },
});
const answered = (id: string, parentId: string | null, toolCallId: string) => ({
  ...said(id, parentId),
  message: { role: "toolResult", toolCallId, toolName: "read", content: [], isError: false },
});

const scratch = scratchFolder("pi-problems");

async function problemsOf(content: string | Buffer): Promise<readonly Problem[]> {
  const path = join(scratch, NAME);
  writeFileSync(path, content);
  const found = await piFormat.recognise(path, {
    home: "/nonexistent",
    env: { PI_CODING_AGENT_DIR: scratch },
  });
  const session = found ?? {
    agent: "pi",
    sessionId: ID,
    location: path,
    archived: false,
    live: null,
    problems: [],
    files: [],
  };
  using opened = await piFormat.open(session, PLACES, {});
  return opened.problems;
}

const lines = (...values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join("");

type Case = readonly [
  content: string | Buffer,
  ...expected: readonly [code: Problem["code"], line: number | null, words: string][],
];

const CASES: Readonly<Record<string, Case>> = {
  "nothing, for a sound file": [lines(HEADER, said("a", null), said("b", "a"))],
  bad_json: [`${lines(HEADER)}{"type":\n${lines(said("a", null))}`, ["bad_json", 2, "not JSON"]],
  torn_line: [`${lines(HEADER, said("a", null))}{"type"`, ["torn_line", 3, "breaks off"]],
  bad_utf8: [
    Buffer.concat([
      Buffer.from(lines(HEADER)),
      Buffer.from(lines(said("a", null)).replace('"a"}', '"\xff"}'), "latin1"),
    ]),
    ["bad_utf8", 2, "no UTF-8"],
  ],
  byte_order_mark: [`\ufeff${lines(HEADER, said("a", null))}`, ["byte_order_mark", 1, "byte order mark"]],
  mixed_line_ends: [
    `${lines(HEADER)}${lines(said("a", null)).replace("\n", "\r\n")}`,
    ["mixed_line_ends", null, "CR LF"],
  ],
  "missing_header: another record first": [
    lines(said("a", null), HEADER),
    ["missing_header", null, "not the first record"],
  ],
  "missing_header: none at all": [
    lines(said("a", null)),
    ["missing_header", null, "no record of the type session"],
  ],
  missing_session_id: [
    lines({ ...HEADER, id: undefined }, said("a", null)),
    ["missing_session_id", null, "no id"],
  ],
  "wrong_session_id: by the name": [
    lines({ ...HEADER, id: "other" }, said("a", null)),
    ["wrong_session_id", null, "the header says session other"],
  ],
  "wrong_session_id: a second header": [
    lines(HEADER, said("a", null), { ...HEADER, id: "other" }),
    ["wrong_session_id", 3, "a second header, of session other"],
  ],
  "duplicate_id: a second header of the same session": [
    lines(HEADER, said("a", null), HEADER),
    ["duplicate_id", 3, "a second header, of the same session"],
  ],
  "duplicate_id: an entry": [
    lines(HEADER, said("a", null), said("b", "a"), said("b", "a", "other")),
    ["duplicate_id", 4, "id b is already on line 3; pi uses the later one"],
  ],
  missing_id: [lines(HEADER, { ...said("a", null), id: undefined }), ["missing_id", 2, "no id"]],
  "dangling_parent: not in the file": [
    lines(HEADER, said("a", null), said("b", "x")),
    ["dangling_parent", 3, "parent x is not in the file"],
  ],
  "dangling_parent: not named": [
    lines(HEADER, said("a", null), { ...said("b", "a"), parentId: undefined }),
    ["dangling_parent", 3, "names no parent"],
  ],
  "missing_parent_session: when entries are missing and the source of the fork is gone": [
    lines({ ...HEADER, parentSession: "/nowhere/s.jsonl" }, said("a", null), said("b", "x")),
    ["dangling_parent", 3, "parent x"],
    ["missing_parent_session", null, "/nowhere/s.jsonl may have held"],
  ],
  "no missing_parent_session, when a fork lacks nothing": [
    lines({ ...HEADER, parentSession: "/nowhere/s.jsonl" }, said("a", null), said("b", "a")),
  ],
  cycle: [lines(HEADER, said("a", "b"), said("b", "a"), said("c", "b")), ["cycle", 2, "lead back to it"]],
  bad_order: [
    lines(HEADER, said("b", "a"), said("a", null)),
    ["bad_order", 2, "1 entry stands before its parent"],
  ],
  "dangling_reference: of a compaction": [
    lines(HEADER, said("a", null), {
      ...said("b", "a"),
      type: "compaction",
      summary: "s",
      firstKeptEntryId: "x",
    }),
    ["dangling_reference", 3, "entry x, which it names, is not in the file; pi keeps nothing"],
  ],
  "dangling_reference: of a compaction, to another branch": [
    lines(HEADER, said("a", null), said("x", "a"), {
      ...said("b", "a"),
      type: "compaction",
      summary: "s",
      firstKeptEntryId: "x",
    }),
    ["dangling_reference", 4, "is not on its branch"],
  ],
  "dangling_reference: of an edit": [
    lines(HEADER, said("a", null), {
      ...said("b", "a"),
      type: "context_edit",
      targetId: "x",
      replacement: null,
    }),
    ["dangling_reference", 3, "entry x"],
  ],
  "no dangling_reference, for a compaction that keeps nothing": [
    lines(HEADER, said("a", null), {
      ...said("b", "a"),
      type: "compaction",
      summary: "s",
      firstKeptEntryId: "b",
    }),
  ],
  call_without_result: [lines(HEADER, called("a", null, "call_1")), ["call_without_result", 2, "call_1"]],
  "no call_without_result, for an answer that broke off": [
    lines(HEADER, called("a", null, "call_1", "aborted"), called("b", "a", "call_2", "error")),
  ],
  result_without_call: [lines(HEADER, answered("a", null, "call_1")), ["result_without_call", 2, "call_1"]],
  "bad_record: no object": [lines(HEADER, said("a", null), [1]), ["bad_record", 3, "no JSON object"]],
  "bad_record: no type": [lines(HEADER, { ...said("a", null), type: 1 }), ["bad_record", 2, "no type"]],
  "bad_record: no message": [
    lines(HEADER, { ...said("a", null), message: 1 }),
    ["bad_record", 2, "without a role"],
  ],
  "bad_record: no content": [
    lines(HEADER, { ...said("a", null), message: { role: "user", content: 5 } }),
    ["bad_record", 2, "neither text nor a list"],
    ["cannot_resume", 2, "pi cannot resume the session"],
  ],
  "bad_record: a result for no call": [
    lines(HEADER, { ...said("a", null), message: { role: "toolResult", content: [] } }),
    ["bad_record", 2, "names no call"],
  ],
  "bad_record: a compaction without a summary": [
    lines(HEADER, said("a", null), { ...said("b", "a"), type: "compaction", firstKeptEntryId: "a" }),
    ["bad_record", 3, "without a summary"],
  ],
  "bad_record: an edit of nothing": [
    lines(HEADER, { ...said("a", null), type: "context_edit" }),
    ["bad_record", 2, "names no entry"],
  ],
};

describe("problems of a session of pi", () => {
  test.each(Object.entries(CASES))("%s", async (_name, [content, ...expected]) => {
    const problems = await problemsOf(content);
    expect(problems.map(({ code, line }) => [code, line])).toEqual(
      expected.map(([code, line]) => [code, line]),
    );
    for (const [at, [, , words]] of expected.entries()) expect(problems[at]?.message).toContain(words);
  });

  test("empty: no byte, no record", async () => {
    const folder = join(scratch, "sessions", "--x--");
    mkdirSync(folder, { recursive: true });
    for (const [content, words] of [
      ["", "the file is empty"],
      ["\n \n", "no record"],
      ["5\n", "no record"],
    ] as const) {
      writeFileSync(join(folder, NAME), content);
      const [found] = await Array.fromAsync(
        piFormat.find({ home: "/x", env: { PI_CODING_AGENT_DIR: scratch } }, {}),
      );
      if (found === undefined) throw new Error("not found");
      const row = await piFormat.skim(found, { part: "whole" });
      expect(row.problems).toEqual([{ code: "empty", line: null, message: expect.stringContaining(words) }]);
      using opened = await piFormat.open(found, PLACES, {});
      expect(opened.problems[0]).toEqual(row.problems[0]);
      expect(await Array.fromAsync(opened.history())).toEqual([]);
    }
  });

  test("unreadable: a file that is gone, or may not be read", async () => {
    const gone = { path: join(scratch, "gone.jsonl"), sizeBytes: 5, mtimeMs: 0, ctimeMs: 0, inode: 1 };
    const found = {
      agent: "pi",
      sessionId: ID,
      location: gone.path,
      files: [gone],
      archived: false,
      live: null,
      problems: [],
    } as const;
    const row = await piFormat.skim(found, { part: "whole" });
    expect(row.problems.map(({ code }) => code)).toEqual(["unreadable"]);
    await expect(piFormat.open(found, PLACES, {})).rejects.toMatchObject({ code: "not_found" });
    await expect(piFormat.open({ ...found, files: [] }, PLACES, {})).rejects.toMatchObject({
      code: "unreadable",
    });
  });

  test("of a file of version 1, which has no ids, are none for that", async () => {
    const { version: _version, ...first } = HEADER;
    const { id: _id, parentId: _parentId, ...entry } = said("a", null);
    expect(await problemsOf(lines(first, entry, entry))).toEqual([]);
  });
});
