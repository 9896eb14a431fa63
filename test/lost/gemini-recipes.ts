/** Sessions that Gemini CLI's own list does not show. `test/agents/lost/` checks each with the real program. */

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type LostHome, type LostRecipe, toLines, writeText } from "./recipe.ts";

export const GEMINI_ID = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
const GEMINI_NAME = "session-2026-11-20T10-00-7c9e6679.jsonl";
/** This id begins with the same eight characters. */
export const NAMESAKE = "7c9e6679-9f21-4d3b-8c55-2f0d6a1b7e34";
export const PARENT = "1b4e28ba-2fa1-41d2-883f-0016d3cca427";
const TIME = "2026-11-20T10:00:00.000Z";
const DAY_MS = 24 * 60 * 60 * 1000;

export function geminiPath(home: LostHome, ...parts: readonly string[]): string {
  return join(home.root, ".gemini", "tmp", "project", ...parts);
}

/** The marks by which Gemini CLI knows the project. */
export function writeProject(home: LostHome): void {
  writeText(
    join(home.root, ".gemini", "projects.json"),
    JSON.stringify({ projects: { [home.project]: "project" } }),
  );
  writeText(geminiPath(home, ".project_root"), home.project);
  // The times are computed from now, so that the recipes stay valid as time passes.
  if (!existsSync(settingsPath(home))) setRetention(home, { enabled: false });
}

function settingsPath(home: LostHome): string {
  return join(home.root, ".gemini", "settings.json");
}

/** Other settings stay. */
export function setRetention(home: LostHome, sessionRetention: object): void {
  const path = settingsPath(home);
  const settings = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  const general = { ...settings.general, sessionRetention };
  writeText(path, JSON.stringify({ ...settings, general }));
}

export const DEFAULT_RETENTION = { enabled: true, maxAge: "30d" };

/** The head of a session that was last written this number of days ago. */
export function agedHead(home: LostHome, days: number, more: object = {}): object {
  const time = new Date(Date.now() - days * DAY_MS).toISOString();
  return geminiHead(home, { startTime: time, lastUpdated: time, ...more });
}

/** The file that a resumption leaves next to the session, without any message of the conversation. */
export const STUB_NAME = "session-2026-11-21T10-00-7c9e6679.jsonl";

export function geminiHead(home: LostHome, more: object = {}): object {
  const projectHash = createHash("sha256").update(home.project).digest("hex");
  return { sessionId: GEMINI_ID, projectHash, startTime: TIME, lastUpdated: TIME, kind: "main", ...more };
}

export const GEMINI_TALK: readonly object[] = [
  { id: "m1", timestamp: TIME, type: "user", content: [{ text: "Why does the retry loop never end?" }] },
  {
    id: "m2",
    timestamp: TIME,
    type: "gemini",
    content: "The counter is reset inside of the loop.",
    thoughts: [],
    model: "gemini-2.5-flash",
  },
];

const LATER_TALK: readonly object[] = [
  { id: "m3", timestamp: TIME, type: "user", content: [{ text: "And what ends it?" }] },
  { id: "m4", timestamp: TIME, type: "gemini", content: "A limit.", thoughts: [], model: "gemini-2.5-flash" },
];

export function writeGemini(home: LostHome, lines: readonly object[], ...place: readonly string[]): void {
  writeProject(home);
  const parts = place.length > 0 ? place : [GEMINI_NAME];
  writeText(geminiPath(home, "chats", ...parts), toLines(lines));
}

/** The folder of a project in older versions. */
export function oldPath(home: LostHome, name: string): string {
  const folder = createHash("sha256").update(home.project).digest("hex");
  return join(home.root, ".gemini", "tmp", folder, "chats", name);
}

function oldFormatPath(home: LostHome): string {
  return geminiPath(home, "chats", GEMINI_NAME.replace(".jsonl", ".json"));
}

/** The file of a session in older versions: one object, over several lines. */
export function oldFormat(head: object): string {
  return JSON.stringify({ ...head, messages: GEMINI_TALK }, null, 2);
}

export const GEMINI_RECIPES: readonly LostRecipe[] = [
  {
    title: "a torn first line",
    cause: "torn_header",
    write: (home) => {
      writeProject(home);
      writeText(
        geminiPath(home, "chats", GEMINI_NAME),
        toLines([geminiHead(home), ...GEMINI_TALK]).slice(30),
      );
    },
    messages: 2,
  },
  {
    title: "a head without its project",
    cause: "no_project_hash",
    write: (home) => writeGemini(home, [geminiHead(home, { projectHash: undefined }), ...GEMINI_TALK]),
    messages: 2,
  },
  {
    title: "a file named by a person",
    cause: "file_name",
    write: (home) => writeGemini(home, [geminiHead(home), ...GEMINI_TALK], "retry-loop.jsonl"),
    messages: 2,
  },
  {
    title: "a sub-agent",
    cause: "sub_agent",
    write: (home) => {
      writeGemini(
        home,
        [geminiHead(home, { sessionId: PARENT }), ...GEMINI_TALK],
        `session-2026-11-20T10-00-${PARENT}.jsonl`,
      );
      writeGemini(
        home,
        [geminiHead(home, { kind: "subagent" }), ...GEMINI_TALK],
        PARENT,
        `${GEMINI_ID}.jsonl`,
      );
    },
  },
  {
    title: "a session of 40 days",
    cause: "older_than_allowed",
    write: (home) => {
      writeGemini(home, [agedHead(home, 40), ...GEMINI_TALK]);
      setRetention(home, DEFAULT_RETENTION);
    },
    messages: 2,
  },
  {
    title: "the file that a resumption left next to the session",
    cause: "empty_twin",
    write: (home) => {
      writeGemini(home, [agedHead(home, 2), ...GEMINI_TALK]);
      writeGemini(home, [agedHead(home, 1)], STUB_NAME);
      setRetention(home, DEFAULT_RETENTION);
    },
    messages: 2,
  },
  {
    title: "an old session whose file name has the same ending",
    cause: "expired_twin",
    otherCauses: ["older_than_allowed"],
    write: (home) => {
      writeGemini(home, [agedHead(home, 2), ...GEMINI_TALK]);
      writeGemini(home, [agedHead(home, 40, { sessionId: NAMESAKE }), ...LATER_TALK], STUB_NAME);
      setRetention(home, DEFAULT_RETENTION);
    },
    messages: 2,
  },
  {
    title: "a session before the newest two",
    cause: "beyond_count",
    write: (home) => {
      writeGemini(home, [agedHead(home, 5), ...GEMINI_TALK]);
      for (const sessionId of [PARENT, NAMESAKE]) {
        const name = `session-2026-11-20T10-00-${sessionId}.jsonl`;
        writeGemini(home, [agedHead(home, 2, { sessionId }), ...LATER_TALK], name);
      }
      setRetention(home, { ...DEFAULT_RETENTION, maxCount: 2 });
    },
  },
  {
    title: "the earlier folder of the project",
    cause: "other_project_folder",
    otherCauses: ["sub_agent"],
    write: (home) => {
      writeProject(home);
      const before = join(home.root, ".gemini", "tmp", "project-1");
      writeText(join(before, ".project_root"), home.project);
      writeText(join(before, "chats", GEMINI_NAME), toLines([geminiHead(home), ...GEMINI_TALK]));
      const subagent = [geminiHead(home, { sessionId: NAMESAKE, kind: "subagent" }), ...LATER_TALK];
      writeText(join(before, "chats", GEMINI_ID, `${NAMESAKE}.jsonl`), toLines(subagent));
    },
    messages: 2,
  },
  {
    title: "the folder of an older version, next to one that is in use",
    cause: "older_storage",
    write: (home) => {
      writeProject(home);
      writeText(geminiPath(home, "logs.json"), "[]");
      writeText(oldPath(home, GEMINI_NAME.replace(".jsonl", ".json")), oldFormat(geminiHead(home)));
    },
    messages: 2,
  },
  {
    title: "a session of 40 days in the format of one object",
    cause: "older_than_allowed",
    write: (home) => {
      writeProject(home);
      writeText(oldFormatPath(home), oldFormat(agedHead(home, 40)));
      setRetention(home, DEFAULT_RETENTION);
    },
    messages: 2,
  },
  {
    title: "the file that a resumption left next to a session in the format of one object",
    cause: "empty_twin",
    write: (home) => {
      writeProject(home);
      writeText(oldFormatPath(home), oldFormat(agedHead(home, 2)));
      writeGemini(home, [agedHead(home, 1)], STUB_NAME);
      setRetention(home, DEFAULT_RETENTION);
    },
    messages: 2,
  },
  {
    title: "a file in the format of one object that a person named",
    cause: "file_name",
    write: (home) => {
      writeProject(home);
      writeText(geminiPath(home, "chats", "retry-loop.json"), oldFormat(geminiHead(home)));
    },
    messages: 2,
  },
  {
    title: "a file in the format of one object that is cut off",
    cause: "torn_header",
    write: (home) => {
      writeProject(home);
      writeText(oldFormatPath(home), oldFormat(geminiHead(home)).slice(0, -20));
    },
  },
  {
    title: "two files of one id",
    cause: "older_twin",
    write: (home) => {
      writeGemini(home, [agedHead(home, 2), ...GEMINI_TALK]);
      writeGemini(home, [agedHead(home, 1), ...LATER_TALK], STUB_NAME);
    },
  },
  {
    title: "only notes of the program",
    cause: "nothing_resumable",
    write: (home) =>
      writeGemini(home, [
        geminiHead(home),
        { id: "m1", timestamp: TIME, type: "info", content: "Logged in" },
      ]),
  },
  {
    title: "a start without any message",
    cause: "nothing_resumable",
    write: (home) => writeGemini(home, [geminiHead(home)]),
  },
  {
    title: "a rewind to the first prompt",
    cause: "rewound",
    write: (home) => writeGemini(home, [geminiHead(home), ...GEMINI_TALK, { $rewindTo: "m1" }]),
    messages: 2,
  },
];
