/**
 * The native sessions of a scripted agent: the inputs that it received, in memory or in files that outlive a process.
 */

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolderDurably } from "@continuo/files";

/**
 * - `real`: it continues the requested session, and says so
 * - `lying`: it says so too, but answers from another session, which only the result shows
 * - `forking`: it says that it answers from a copy of the session
 * - `silent`: it never says which session it is in
 * - `replacing`: it begins a new session, and says so
 * - `unavailable`: it throws `native_unavailable`
 */
export type NativeKind = "real" | "lying" | "forking" | "silent" | "replacing" | "unavailable";

export interface NativeSessions {
  has(sessionId: string): boolean;
  /** The path of the session; `null` in memory. */
  location(sessionId: string): string | null;
  read(sessionId: string): readonly string[];
  append(sessionId: string, lines: readonly string[]): void;
}

export function nativeSessionsInMemory(): NativeSessions {
  const sessions = new Map<string, string[]>();
  return {
    has: (sessionId) => sessions.has(sessionId),
    location: () => null,
    read: (sessionId) => sessions.get(sessionId) ?? [],
    append: (sessionId, lines) => {
      sessions.set(sessionId, [...(sessions.get(sessionId) ?? []), ...lines]);
    },
  };
}

export function nativeSessionsInFolder(folder: string): NativeSessions {
  makeFolderDurably(folder);
  const pathOf = (sessionId: string): string => join(folder, `${encodeURIComponent(sessionId)}.jsonl`);
  return {
    has: (sessionId) => existsSync(pathOf(sessionId)),
    location: pathOf,
    read: (sessionId) =>
      existsSync(pathOf(sessionId))
        ? readFileSync(pathOf(sessionId), "utf8")
            .split("\n")
            .slice(0, -1)
            .map((line) => JSON.parse(line) as string)
        : [],
    append: (sessionId, lines) => {
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
      appendFileSync(pathOf(sessionId), text, { mode: 0o600 });
    },
  };
}
