/**
 * The sessions that a person viewed, in `seen.json` of CONTINUO_HOME: a time before which everything counts as seen,
 * and marks of single sessions. Two servers share the file. If both write a mark at the same moment, one mark may be
 * lost, and its session is unseen again. Keys that a later version wrote are kept.
 */

import { join } from "node:path";
import { continuoHome, isJson, type Json, type Places, recordFile } from "@continuo/files";
import { INBOX_LIMITS } from "./limits.ts";

export interface SeenMarks {
  /** A session without a time has no unseen change. */
  has(key: string, updatedAt: string | null): boolean;
}

export interface SeenFile {
  /** A file that cannot be read counts as missing: then everything before the start of this process is seen. */
  read(): SeenMarks;
  /** Errors: `unwritable`, `corrupt`. @param marks the times of sessions, by their keys */
  see(marks: ReadonlyMap<string, string>): void;
  /** Marks everything up to this time as seen. Errors: `unwritable`, `corrupt`. */
  seeAll(upTo: string): void;
}

interface LookRecord {
  readonly since: string;
  readonly marks: Readonly<Record<string, string>>;
}

/** @param start the time before which everything is seen if there is no file, ISO 8601 */
export function openSeenFile(places: Places, start: string): SeenFile {
  const file = recordFile(join(continuoHome(places), "seen.json"), {
    what: "seen sessions",
    hint: "Delete the file; after that, every session counts as seen.",
  });
  const readSeen = (): { readonly record: Json; readonly seen: LookRecord } => {
    const record = file.read();
    const { since, marks } = record;
    return {
      record,
      seen: { since: typeof since === "string" ? since : start, marks: isJson(marks) ? textsOf(marks) : {} },
    };
  };
  const write = (record: Json, seen: LookRecord): void => {
    file.write({ ...record, ...seen });
  };
  return {
    read() {
      try {
        return toMarks(readSeen().seen);
      } catch {
        return toMarks({ since: start, marks: {} });
      }
    },
    see(marks) {
      const { record, seen } = readSeen();
      const known = toMarks(seen);
      const fresh = [...marks].filter(([key, at]) => !known.has(key, at));
      if (fresh.length > 0)
        write(record, bounded({ ...seen.marks, ...Object.fromEntries(fresh) }, seen.since));
    },
    seeAll(upTo) {
      const { record, seen } = readSeen();
      if (upTo > seen.since) write(record, bounded(seen.marks, upTo));
    },
  };
}

function toMarks({ since, marks }: LookRecord): SeenMarks {
  return {
    has: (key, updatedAt) =>
      updatedAt === null ||
      updatedAt <= since ||
      (Object.hasOwn(marks, key) && updatedAt <= (marks[key] ?? "")),
  };
}

/** Drops the marks up to `since`. If too many are left, drops the oldest, and moves `since` forward to cover them. */
function bounded(marks: Readonly<Record<string, string>>, since: string): LookRecord {
  const newestFirst = Object.entries(marks)
    .filter(([, at]) => at > since)
    .sort(([, a], [, b]) => (a < b ? 1 : -1));
  const [, left = since] = newestFirst[INBOX_LIMITS.marks] ?? [];
  return { since: left, marks: Object.fromEntries(newestFirst.slice(0, INBOX_LIMITS.marks)) };
}

function textsOf(marks: Json): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(marks).filter((pair): pair is [string, string] => typeof pair[1] === "string"),
  );
}
