import { expect, test } from "vitest";
import { millisecondsToWait } from "./before-resume.ts";
import { geminiWriter } from "./writer.ts";

const NOW = Date.parse("2026-05-04T10:20:30Z");
const file = (name: string) => ({ path: `/chats/${name}`, sizeBytes: 1, mtimeMs: 0, ctimeMs: 0, inode: 0 });

test.each([
  ["the minute that it is named after is waited for", "session-2026-05-04T10-20-1234abcd.jsonl", 30_500],
  ["another minute is not", "session-2026-05-04T10-19-1234abcd.jsonl", 0],
  ["nor one of the future", "session-2026-05-04T10-22-1234abcd.jsonl", 0],
  ["nor a name without one", "session-1234abcd.jsonl", 0],
])("a Gemini session that is resumed: %s", (_, name, waitMs) => {
  expect(millisecondsToWait({ files: [file(name)] }, NOW)).toBe(waitMs);
});

test("a session that Continuo writes is not waited for", () => {
  const createdMs = Date.parse("2026-05-04T10:20:01.000Z");
  const session = {
    sessionId: "1234abcd-0000-4000-8000-000000000000",
    cwd: "/work/project",
    title: null,
    gitBranch: null,
    createdMs,
  };
  const path = geminiWriter.placeOf(session, { home: "/nowhere", env: {} });
  expect(millisecondsToWait({ files: [{ ...file(""), path }] }, createdMs)).toBe(0);
});
