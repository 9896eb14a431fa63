/** The facts about the rows of a session before they are parsed. */

import { isFailure } from "@continuo/core/model";
import { type FoundSession, type TestBytes, testFiles } from "../kit/index.ts";
import { type Database, openDatabase } from "./database.ts";

/** A database is opened once for all of its sessions. One that is damaged or cannot be read may hold anything. */
export async function filter(
  found: readonly FoundSession[],
  begin: () => TestBytes,
): Promise<readonly FoundSession[]> {
  const wanted: FoundSession[] = [];
  for (const [path, sessions] of Map.groupBy(found, ({ files: [file] }) => file?.path ?? "")) {
    const exports = sessions.filter(({ location }) => location === path);
    wanted.push(...exports.filter(({ files }) => testFiles(files, begin())));
    const rows = sessions.filter(({ location }) => location !== path);
    if (rows.length > 0) wanted.push(...(await filterRows(path, rows, begin)));
  }
  return wanted;
}

async function filterRows(
  path: string,
  sessions: readonly FoundSession[],
  begin: () => TestBytes,
): Promise<readonly FoundSession[]> {
  try {
    const database = await openDatabase(path);
    try {
      if (database.isSalvaged) return sessions;
      return sessions.filter(({ sessionId }) => testRows(database, sessionId, begin()));
    } finally {
      database.close();
    }
  } catch (error) {
    if (!isFailure(error)) throw error;
    return sessions;
  }
}

/** Rows are tested together: most of them are short. */
const PIECE_BYTES = 262_144;
const LINE_FEED = 0x0a;
let memory: Buffer | null = null;

function testRows(database: Database, sessionId: string, test: TestBytes): boolean {
  const has = (table: string, column: string): boolean => database.columnsOf(table).includes(column);
  const ofMessages = "message_id in (select id from message where session_id = ?1)";
  const places = [
    ...(has("message", "session_id") ? ["message where session_id = ?1"] : []),
    ...(has("part", "message_id") && has("message", "session_id")
      ? [`part where ${has("part", "session_id") ? "session_id = ?1 or " : ""}${ofMessages}`]
      : []),
    ...(has("session_message", "session_id") ? ["session_message where session_id = ?1"] : []),
  ];
  memory ??= Buffer.allocUnsafeSlow(PIECE_BYTES);
  let held = 0;
  for (const place of places) {
    for (const data of database.bytes(`select cast(data as blob) from ${place}`, sessionId)) {
      // A row without data is damaged.
      if (data === null) return true;
      if (held + data.length >= PIECE_BYTES) {
        if (test(memory.subarray(0, held), "more")) return true;
        held = 0;
      }
      if (data.length >= PIECE_BYTES) {
        if (test(Buffer.from(data.buffer, data.byteOffset, data.length), "more")) return true;
        continue;
      }
      memory.set(data, held);
      held += data.length;
      memory[held++] = LINE_FEED;
    }
  }
  return test(memory.subarray(0, held), "last");
}
