/**
 * Gemini CLI's rules of deletion (0.61.0). At the start of any session of a folder, and when it lists, it deletes
 * sessions older than `general.sessionRetention.maxAge`, sessions beyond the newest `maxCount`, and files that it
 * cannot list. With each of them, it deletes the files whose names end in the same eight characters.
 */

import { basename, dirname } from "node:path";
import { exactOf, isJson, type Places, parseExactly, statFile } from "@continuo/files";
import type { AgentRetention, FoundRow, RestoredFile, SessionEnd } from "../kit/index.ts";
import { toLines } from "../writing/index.ts";
import { ownName } from "./names.ts";
import { geminiFolders, isSessionName, projectOfFile } from "./places.ts";
import { personalSettings, type Retention, readRetention } from "./settings.ts";
import { skimFile } from "./skim-file.ts";
import { type SweptFolder, sweepOf } from "./sweep.ts";

export const geminiRetention: AgentRetention = {
  rule(places) {
    const retention = retentionOf(places, null);
    if (!retention.enabled) return null;
    const count =
      retention.maxCount === null ? "" : ` and all but the newest ${retention.maxCount} of a project`;
    return `Gemini CLI deletes sessions older than ${retention.maxAge}${count}, and those that it cannot list, when it starts or lists (general.sessionRetention)`;
  },
  async endsOf(sessions, places, memo) {
    const ends = new Map<string, SessionEnd>();
    for (const [folder, inFolder] of Map.groupBy(sessions, ({ found }) => dirname(found.location))) {
      const retention = retentionOf(places, inFolder[0]?.found.cwd ?? null);
      if (!retention.enabled || projectOfFile(inFolder[0]?.found.location ?? "") === null) continue;
      const sweep = await sweepOf(folder, retention, memo);
      for (const session of inFolder) {
        const end = await endOf(session, sweep, retention);
        if (end !== null) ends.set(session.found.location, end);
      }
    }
    return ends;
  },
  beside: () => [],
  renewed,
  setting(places) {
    const path = personalSettings(geminiFolders(places).config);
    return { path, keys: ["general", "sessionRetention", "enabled"], keepsAll: false };
  },
};

function retentionOf(places: Places, cwd: string | null): Retention {
  return readRetention(geminiFolders(places).config, cwd, places.env);
}

async function endOf(
  session: FoundRow,
  sweep: SweptFolder,
  retention: Retention,
): Promise<SessionEnd | null> {
  if (!(await isListed(session))) return { atMs: 0, rule: "Gemini CLI does not list it" };
  const own = endByRule(session, sweep, retention);
  const neighbour = await sweep.neighbourOf(session.found.location);
  if (neighbour === null || (own !== null && own.atMs <= neighbour.atMs)) return own;
  return { atMs: neighbour.atMs, rule: `it shares the end of its name with ${neighbour.path}` };
}

/** A title comes from a prompt, so only sessions without a title are read. */
async function isListed({ found, info }: FoundRow): Promise<boolean> {
  if (info.title !== null) return true;
  const file = statFile(found.location);
  return file === null || (await skimFile(file, { part: "whole" })).firsts.conversation;
}

function endByRule(
  { found, info }: FoundRow,
  sweep: SweptFolder,
  { maxAgeMs, maxAge, maxCount }: Retention,
): SessionEnd | null {
  if (sweep.isBeyond(found.location)) {
    return { atMs: 0, rule: `general.sessionRetention.maxCount is ${maxCount}` };
  }
  // A session without a time counts as now.
  if (maxAgeMs === null || info.updatedAt === null) return null;
  const atMs = Date.parse(info.updatedAt) + maxAgeMs;
  return { atMs, rule: `general.sessionRetention.maxAge is ${maxAge}` };
}

/**
 * The file gets the current time, and the whole id in its name. A resumption leaves a file without a conversation next
 * to the session; when Gemini CLI deletes that file, it would otherwise delete the session too.
 */
function renewed(file: RestoredFile, nowMs: number): RestoredFile | null {
  const { path, sessionId, isMain } = file;
  if (!isMain) return isSessionName(basename(path)) ? null : file;
  const lastUpdated = new Date(nowMs).toISOString();
  const renewedPieces = path.endsWith(".jsonl") ? withLine : withTime;
  return { ...file, path: ownName(path, sessionId), pieces: () => renewedPieces(file, lastUpdated) };
}

function* withLine({ pieces }: RestoredFile, lastUpdated: string): Generator<Buffer> {
  let last = 0x0a;
  for (const piece of pieces()) {
    last = piece.at(-1) ?? last;
    yield piece;
  }
  yield Buffer.from(`${last === 0x0a ? "" : "\n"}${toLines([{ $set: { lastUpdated } }])}`);
}

/** A file of an older version is a single value, which is read as a whole. */
function* withTime({ pieces }: RestoredFile, lastUpdated: string): Generator<Buffer> {
  const bytes = Buffer.concat([...pieces()]);
  yield renewedValue(bytes, lastUpdated);
}

/** A file of one object with a new time. */
export function renewedValue(bytes: Buffer, lastUpdated: string): Buffer {
  try {
    const session = exactOf(parseExactly(bytes.toString("utf8")));
    return isJson(session) ? Buffer.from(JSON.stringify({ ...session, lastUpdated }, null, 2)) : bytes;
  } catch {
    // A damaged file stays as it is.
    return bytes;
  }
}
