/** Titles, details and problems of a session. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProblemCode } from "@continuo/core/model";
import { claudeFormat } from "@continuo/native/claude";
import { describe, expect, test } from "vitest";
import {
  answer,
  call,
  codesOf,
  folder,
  ID,
  type Line,
  line,
  open,
  places,
  result,
  text,
  useHome,
  user,
} from "./session-lines.ts";

useHome();

describe("titles leave out what the person did not type", () => {
  test.each([
    ["a slash command", "<command-name>/model</command-name>"],
    ["its output", "<local-command-stdout>x</local-command-stdout>"],
    ["a reminder", "<system-reminder>\nx\n</system-reminder>"],
    ["an image companion", "[Image: source: /a.png]"],
    ["an interruption", "[Request interrupted by user for tool use]"],
    ["white space", " \n "],
  ])("%s", async (_, said) => {
    using session = await open([user("u1", null, said), user("u2", "u1", "the   first\nreal thing")]);
    expect(session.details.title).toBe("the first real thing");
  });

  test.each<[string, Line[], string]>([
    [
      "the person's title wins over the program's",
      [
        { type: "custom-title", customTitle: "C" },
        { type: "ai-title", aiTitle: "A" },
      ],
      "C",
    ],
    [
      "the last title of the person wins",
      [
        { type: "custom-title", customTitle: "C" },
        { type: "custom-title", customTitle: "D" },
      ],
      "D",
    ],
    [
      "an empty title is none",
      [
        { type: "custom-title", customTitle: "C" },
        { type: "custom-title", customTitle: " " },
      ],
      "C",
    ],
    [
      "the program's title wins over the first prompt",
      [
        { type: "summary", summary: "S" },
        { type: "ai-title", aiTitle: "A" },
      ],
      "A",
    ],
    [
      "the last of the program's titles wins",
      [
        { type: "ai-title", aiTitle: "A" },
        { type: "summary", summary: "S" },
      ],
      "S",
    ],
  ])("%s", async (_, lines, title) => {
    using session = await open([user("u1", null, "q"), ...lines]);
    expect(session.details.title).toBe(title);
  });

  test("a title that is stored next to the session is used if no line has a title", async () => {
    mkdirSync(join(folder, ID), { recursive: true });
    writeFileSync(join(folder, ID, "custom-title.json"), '{"customTitle":"beside"}');
    using without = await open([user("u1", null, "q"), { type: "ai-title", aiTitle: "A" }]);
    using withLine = await open([user("u1", null, "q"), { type: "custom-title", customTitle: "C" }]);
    rmSync(join(folder, ID), { recursive: true });
    expect([without.details.title, withLine.details.title]).toEqual(["beside", "C"]);
  });
});

describe("details", () => {
  test("models, versions, usage and unknown types are gathered over all branches, each answer once", async () => {
    const usage = { input_tokens: 10, output_tokens: 1 };
    const said = (uuid: string, parent: string, id: string, model: string): Line =>
      line("assistant", uuid, parent, {
        version: `2.1.${uuid.length}`,
        message: { id, model, content: [text(uuid)], usage },
      });
    using session = await open([
      user("u", null, "q"),
      said("a", "u", "m1", "one"),
      said("ab", "a", "m1", "one"),
      user("v", "u", "other", { forkedFrom: { sessionId: "parent", messageUuid: "x" } }),
      said("b", "v", "m2", "<synthetic>"),
      said("c", "b", "m1", "one"),
      { type: "hologram" },
      { type: "hologram" },
    ]);
    expect(session.details).toMatchObject({
      models: ["one"],
      agentVersions: ["2.1.1", "2.1.2"],
      usage: { inputTokens: 20, outputTokens: 2 },
      unknownRecords: { hologram: 2 },
      forkedFrom: "parent",
      records: 8,
    });
  });

  test("a fork by the command line is known by who asked for its answers", async () => {
    using session = await open([
      user("u", null, "q"),
      answer("a", "u", "A", { requestSessionId: "grandparent" }),
      answer("b", "a", "B", { requestSessionId: "parent" }),
      answer("c", "b", "C", { requestSessionId: ID }),
    ]);
    expect(session.details.forkedFrom).toBe("parent");
  });

  test("the branch is null if Claude Code wrote `HEAD`, as in a folder without a repository", async () => {
    using session = await open([
      user("u", null, "q", { gitBranch: "main" }),
      user("v", "u", "q", { gitBranch: "HEAD" }),
    ]);
    expect(session.details.gitBranch).toBeNull();
  });
});

describe("problems have a code and a line", () => {
  const q = (more: Line = {}): Line => user("u", null, "q", more);
  test.each<[string, (Line | string)[], [ProblemCode, number | null][]]>([
    ["none", [q()], []],
    ["no JSON", [q(), "{broken\n"], [["bad_json", 2]]],
    ["a torn last line", [q(), '{"type":"us'], [["torn_line", 2]]],
    ["a last line without an end is whole", [q(), JSON.stringify(answer("a", "u", "x"))], []],
    [
      "JSON that is no record",
      [q(), "5\n", "{}\n"],
      [
        ["bad_record", 2],
        ["bad_record", 3],
      ],
    ],
    ["a prompt without a message", [q(), line("user", "v", "u", {})], [["bad_record", 2]]],
    ["a line without a uuid", [q(), { ...answer("a", "u", "x"), uuid: undefined }], [["missing_id", 2]]],
    [
      "a line without a parent",
      [q(), { ...answer("a", "u", "x"), parentUuid: undefined }],
      [
        ["missing_id", 2],
        ["cannot_resume", 2],
      ],
    ],
    ["a repeated uuid", [q(), q()], [["duplicate_id", 2]]],
    [
      "a lost parent",
      [answer("a", "lost", "x")],
      [
        ["dangling_parent", 1],
        ["cannot_resume", 1],
      ],
    ],
    [
      "a lost logical parent",
      [
        line("system", "s", null, { subtype: "compact_boundary", logicalParentUuid: "lost" }),
        user("u", "s", "q"),
      ],
      [["dangling_parent", 1]],
    ],
    [
      "a circle",
      [user("a", "b", "x"), answer("b", "a", "y"), user("z", null, "q")],
      [
        ["cycle", 1],
        ["unreachable", 2],
      ],
    ],
    ["a call without a result", [q(), answer("a", "u", [call("t")])], [["call_without_result", 2]]],
    ["a result without a call", [q(), user("r", "u", [result("t", "x")])], [["result_without_call", 2]]],
    [
      "another session's lines",
      [q(), user("v", "u", "q", { sessionId: "other" })],
      [["wrong_session_id", 2]],
    ],
    ["no session id", [{ ...q(), sessionId: undefined }], [["missing_session_id", null]]],
    ["mixed line ends", [`${JSON.stringify(q())}\r\n`, answer("a", "u", "x")], [["mixed_line_ends", null]]],
    [
      "CR LF alone is no problem",
      [`${JSON.stringify(q())}\r\n`, `${JSON.stringify(answer("a", "u", "x"))}\r\n`],
      [],
    ],
    ["blank lines are no problem", [q(), "\n  \n", answer("a", "u", "x")], []],
    ["a byte order mark", ["\ufeff", q()], [["byte_order_mark", 1]]],
    [
      "only lines about the session",
      [{ type: "custom-title", customTitle: "t", sessionId: ID }],
      [["empty", null]],
    ],
  ])("%s", async (_, lines, expected) => {
    expect(await codesOf(...lines)).toEqual(expected);
  });

  test("an empty file is empty", async () => {
    const path = join(folder, `${ID}.jsonl`);
    writeFileSync(path, "");
    const found = await claudeFormat.recognise(path, places);
    if (found === null) throw new Error("not recognised");
    using session = await claudeFormat.open(found, places, {});
    expect(session.problems).toEqual([{ code: "empty", line: null, message: "the file is empty" }]);
    expect(await Array.fromAsync(session.history())).toEqual([]);
    expect(session.leaves).toEqual([]);
  });

  test("many of a kind are counted beyond a limit", async () => {
    using session = await open([q(), ...Array.from({ length: 700 }, () => "{broken\n")]);
    expect(session.problems).toHaveLength(501);
    expect(session.problems.at(-1)).toEqual({
      code: "bad_json",
      line: null,
      message: "200 more of the same kind",
    });
  });
});
