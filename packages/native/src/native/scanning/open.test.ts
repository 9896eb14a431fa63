import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import type { OpenedSession, OpenOptions, SavedScan } from "../kit/index.ts";
import { piFormat } from "../pi/index.ts";

const folder = scratchFolder("scanning");

const PATH = join(folder, "2026-01-01T00-00-00-000Z_0a5540e7-2dcc-4293-a291-09a3dc1d9ae6.jsonl");
const PLACES = { home: folder, env: {} };
const HEADER = {
  type: "session",
  version: 3,
  id: "0a5540e7-2dcc-4293-a291-09a3dc1d9ae6",
  timestamp: "2026-01-01T00:00:00.000Z",
  cwd: "/project",
};

function line(number: number): string {
  const message = { role: "user", content: `text ${number}` };
  const parentId = number === 1 ? null : `entry${number - 1}`;
  const timestamp = "2026-01-01T00:00:01.000Z";
  return `${JSON.stringify({ type: "message", id: `entry${number}`, parentId, timestamp, message })}\n`;
}

async function opened(options: OpenOptions): Promise<OpenedSession> {
  const found = await piFormat.recognise(PATH, PLACES);
  if (found === null) throw new Error("not recognised");
  return await piFormat.open(found, PLACES, options);
}

async function savedAfter(...lines: readonly string[]): Promise<SavedScan> {
  writeFileSync(PATH, `${JSON.stringify(HEADER)}\n${lines.join("")}`);
  using session = await opened({ save: true });
  if (session.saved === null) throw new Error("not saved");
  return session.saved;
}

test("for a session that was continued, only records after the saved scan are read", async () => {
  const saved = await savedAfter(line(1), line(2));
  appendFileSync(PATH, line(3));
  using session = await opened({ continue: saved });
  expect(session.continued).toBe(true);
  const history = await Array.fromAsync(session.history({ after: saved.position }));
  expect(history.map(({ id }) => id)).toEqual(["entry3"]);
  expect(session.details.messages.total).toBe(3);
});

test.each([
  ["written anew", () => writeFileSync(PATH, `${JSON.stringify(HEADER)}\n${line(1)}${line(7)}${line(3)}`)],
  ["cut off", () => writeFileSync(PATH, `${JSON.stringify(HEADER)}\n${line(1)}`)],
])("a file that was %s is read completely", async (_, change) => {
  const saved = await savedAfter(line(1), line(2));
  change();
  using session = await opened({ continue: saved });
  using whole = await opened({});
  expect(session.continued).toBe(false);
  expect(session.details).toEqual(whole.details);
});

test("a scan of another version, or of another session, is not continued", async () => {
  const saved = await savedAfter(line(1));
  for (const other of [{ version: "pi-0" }, { sessionId: "another" }]) {
    using session = await opened({ continue: { ...saved, ...other } });
    expect(session.continued).toBe(false);
    expect(session.details.messages.total).toBe(1);
  }
});

test("a part of a session is not saved", async () => {
  writeFileSync(
    PATH,
    `${JSON.stringify(HEADER)}\n${Array.from({ length: 99 }, (_, at) => line(at + 1)).join("")}`,
  );
  using session = await opened({ newestBytes: 1000, save: true });
  expect(session.partial).toBe(true);
  expect(session.saved).toBeNull();
});
