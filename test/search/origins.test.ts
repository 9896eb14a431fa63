/** From the lines of a file to the turns that wrote them, over the sessions of two agents. */

import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { openOrigins } from "@continuo/agents/search";
import type { FileBlame } from "@continuo/core/model";
import { linesOf } from "@continuo/core/transcript/work";
import { afterEach, expect, test } from "vitest";
import { claudeFile, claudeText, cleanEnv } from "../cli/home.ts";
import { type EditedHome, editedHome, FIRST_ID, LAST_ID, NOW, PATCHED_ID } from "./edited-home.ts";

let home: EditedHome;
afterEach(() => home[Symbol.dispose]());

async function blame(path: string, text: string, exclude: readonly string[] = []): Promise<FileBlame> {
  const places = { home: home.path, cwd: home.path, env: cleanEnv(home.path) };
  const origins = openOrigins({ places, exclude, nowMs: Date.parse("2025-01-06T12:00:00Z") });
  return await origins.ofFile(home.at(path), linesOf(text));
}

const SHORT: Readonly<Record<string, string>> = {
  [FIRST_ID]: "first",
  [PATCHED_ID]: "patched",
  [LAST_ID]: "last",
};

/** Returns each line with the turn that wrote it, and in brackets the turns that wrote it before. */
function drawn({ lines, origins }: FileBlame): readonly string[] {
  const nameOf = (at: number): string => {
    const { sessionId = "", turn } = origins[at] ?? {};
    return `${SHORT[sessionId] ?? sessionId} ${turn}`;
  };
  return lines.map(({ text, origin, others, earlier }) => {
    const before = [...others.map(nameOf), ...earlier.map((at) => `was ${nameOf(at)}`)].join(", ");
    return `${text} <- ${origin === null ? "nobody" : nameOf(origin)}${before === "" ? "" : ` (${before})`}`;
  });
}

const EXPECTED = [
  "// Times of teas, in seconds. <- nobody",
  "import { check } from './check.ts'; <- last 1",
  " <- last 1",
  "export const SECONDS = { <- first 1",
  "  black: 240, <- last 2 (first 2, was first 1)",
  "  white: 300, <- last 2 (was patched 1)",
  "  green: 150, <- first 1",
  "}; <- first 1",
];

test("each line names the last turn that wrote it and those before it, and a line by hand names none", async () => {
  home = editedHome();
  const found = await blame("src/brew.ts", NOW);
  expect(drawn(found)).toEqual(EXPECTED);
  expect(found).toMatchObject({ sessions: 3, edits: 7, formerPaths: [] });
  expect(found.left).toEqual({ sessions: 0, unreadable: 0, unsearched: 0, edits: 0 });
  const first = found.origins.find(({ sessionId, turn }) => sessionId === FIRST_ID && turn === 2);
  expect(first).toMatchObject({
    agent: "claude",
    messageId: "c20",
    at: "2025-01-05T10:02:00.000Z",
    branch: null,
    prompt: "Black tea needs four minutes",
    formerPath: null,
  });
});

test("a file that a person renamed keeps its turns, and names its former path", async () => {
  home = editedHome();
  home.edit("lib/tea.ts", "");
  renameSync(home.at("src/brew.ts"), home.at("lib/tea.ts"));
  const found = await blame("lib/tea.ts", NOW);
  expect(drawn(found)).toEqual(EXPECTED);
  expect(found.formerPaths).toEqual([home.at("src/brew.ts")]);
  expect(new Set(found.origins.map(({ formerPath }) => formerPath))).toEqual(
    new Set([home.at("src/brew.ts")]),
  );
});

test("a copy of a file that still exists names no turn", async () => {
  home = editedHome();
  home.edit("lib/tea.ts", NOW);
  const found = await blame("lib/tea.ts", NOW);
  expect(new Set(found.lines.map(({ origin }) => origin))).toEqual(new Set([null]));
});

test("a file of the same name in another project has its own turns", async () => {
  home = editedHome();
  home.edit("../other/src/brew.ts", NOW);
  const found = await blame("../other/src/brew.ts", NOW);
  expect(new Set(found.lines.map(({ origin }) => origin))).toEqual(new Set([null]));
});

test("an edit that a copy of a session repeats belongs to the session that was there first", async () => {
  home = editedHome();
  const copy = "4bf3dddd-0000-4000-8000-000000000009";
  const text = readFileSync(`${home.path}/${claudeFile(FIRST_ID)}`, "utf8");
  const [more = ""] = text.split("\n");
  const later = {
    ...JSON.parse(more),
    uuid: "later",
    parentUuid: "e2",
    timestamp: "2025-01-05T14:00:00.000Z",
  };
  home.write(claudeFile(copy), `${text}${JSON.stringify(later)}\n`.replaceAll(FIRST_ID, copy));
  const found = await blame("src/brew.ts", NOW);
  expect(drawn(found)).toEqual(EXPECTED);
  expect(found.sessions).toBe(4);
});

test("an edit without a result wrote nothing", async () => {
  home = editedHome();
  const input = {
    file_path: home.at("src/brew.ts"),
    old_string: "// x",
    new_string: "// Times of teas, in seconds.",
  };
  const id = "4bf3eeee-0000-4000-8000-000000000009";
  home.write(
    claudeFile(id),
    claudeText(id, [
      { uuid: "p1", parent: null, role: "user", content: "Say what it is", time: "15:01:00" },
      {
        uuid: "c1",
        parent: "p1",
        role: "assistant",
        content: [{ type: "tool_use", id: "t1", name: "Edit", input }],
        time: "15:01:00",
      },
    ]),
  );
  expect(drawn(await blame("src/brew.ts", NOW))).toEqual(EXPECTED);
});

test("sessions that the configuration keeps out are not read, and a damaged one gives what can be read", async () => {
  home = editedHome();
  const kept = await blame("src/brew.ts", NOW, [`${home.path}/.codex/**`]);
  expect(drawn(kept)[5]).toBe("  white: 300, <- last 2");
  appendFileSync(`${home.path}/${claudeFile(LAST_ID)}`, '{"torn":');
  expect(drawn(await blame("src/brew.ts", NOW))).toEqual(EXPECTED);
});

test("edits whose time is not recorded count for any time, and later ones do not", async () => {
  home = editedHome();
  const file = `${home.path}/${claudeFile(FIRST_ID)}`;
  const records = readFileSync(file, "utf8");
  const places = { home: home.path, cwd: home.path, env: cleanEnv(home.path) };
  const nowMs = Date.parse("2025-01-06T12:00:00Z");
  const writersBefore = async (before: string): Promise<readonly (string | undefined)[]> => {
    const found = await openOrigins({ places, exclude: [], nowMs, before }).ofFile(
      home.at("src/brew.ts"),
      linesOf(NOW),
    );
    return found.lines.map(({ origin }) =>
      origin === null ? undefined : SHORT[found.origins[origin]?.sessionId ?? ""],
    );
  };
  expect(await writersBefore("2025-01-01T00:00:00.000Z")).not.toContain("first");
  const untimed = records
    .trim()
    .split("\n")
    .map((line) => ({ ...JSON.parse(line), timestamp: undefined }));
  writeFileSync(file, untimed.map((record) => `${JSON.stringify(record)}\n`).join(""));
  const writers = await writersBefore("2025-01-01T00:00:00.000Z");
  expect(writers).toContain("first");
  expect(writers).not.toContain("last");
});
