/** One text file: a line a file, `stamp TAB json`; replaced as a whole when there is something new. */

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { FoundFile, MemoKey, SkimMemo } from "../reader/index.ts";

export interface SavedSkimMemo extends SkimMemo {
  /**
   * Writes what is new. After a list of `everything`, files that it did not ask about are gone and forgotten. A
   * cache that cannot be written is no reason to fail: the next run computes again.
   */
  save(asked: "everything" | "part"): void;
}

/** Changes when the meaning of an answer does: an older file is then as good as none. */
const FORMAT = "continuo-skims-1";

/** A file that changed less than this before it was looked at may change again within one tick of its time stamps. */
const SETTLED_AFTER_MS = 2_000;

type Answers = { [name: string]: unknown };

/** @param nowMs milliseconds since 1970 */
export function openSkimMemo(path: string, nowMs: number): SavedSkimMemo {
  const known = readKnown(path);
  const used = new Map<string, Answers>();
  let isChanged = false;
  return {
    async remember<T>(file: FoundFile, key: MemoKey, compute: () => Promise<T>): Promise<T> {
      const stamp = stampOf(file);
      const answers = used.get(stamp) ?? parseAnswers(known.get(stamp)) ?? {};
      used.set(stamp, answers);
      const name = answersTo(key).find((one) => Object.hasOwn(answers, one));
      if (name !== undefined) return answers[name] as T;
      const answer = await compute();
      if (nowMs - Math.max(file.mtimeMs, file.ctimeMs) < SETTLED_AFTER_MS) return answer;
      answers[nameOf(key)] = answer;
      isChanged = true;
      return answer;
    },
    save(asked) {
      const isStale = asked === "everything" && known.size > used.size;
      if (isChanged || isStale) writeKnown(path, asked === "everything" ? new Map() : known, used);
    },
  };
}

/** The names of the answers that a question takes, the best first. */
function answersTo(key: MemoKey): string[] {
  return key.part === "ends" ? [nameOf({ ...key, part: "whole" }), nameOf(key)] : [nameOf(key)];
}

function nameOf({ what, part }: MemoKey): string {
  return part === undefined ? what : `${what} ${part}`;
}

function stampOf(file: FoundFile): string {
  return `${JSON.stringify(file.path)} ${file.sizeBytes} ${file.mtimeMs} ${file.ctimeMs} ${file.inode}`;
}

function readKnown(path: string): Map<string, string> {
  const known = new Map<string, string>();
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return known;
  }
  const [format, ...lines] = text.split("\n");
  if (format !== FORMAT) return known;
  for (const line of lines) {
    const tab = line.indexOf("\t");
    if (tab !== -1) known.set(line.slice(0, tab), line.slice(tab + 1));
  }
  return known;
}

function parseAnswers(json: string | undefined): Answers | null {
  if (json === undefined) return null;
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/**
 * Files that were not asked about stay: another list, of one agent or folder, asked about them. A path that
 * was asked about keeps its newest stamp alone.
 */
function writeKnown(
  path: string,
  known: ReadonlyMap<string, string>,
  used: ReadonlyMap<string, Answers>,
): void {
  const askedAbout = new Set([...used.keys()].map(pathOf));
  const lines = [FORMAT];
  for (const [stamp, json] of known) if (!askedAbout.has(pathOf(stamp))) lines.push(`${stamp}\t${json}`);
  for (const [stamp, answers] of used) {
    if (Object.keys(answers).length > 0) lines.push(`${stamp}\t${JSON.stringify(answers)}`);
  }
  replaceFile(path, `${lines.join("\n")}\n`);
}

function replaceFile(path: string, text: string): void {
  const fresh = `${path}.${process.pid}.new`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(fresh, text, { mode: 0o600 });
    renameSync(fresh, path);
  } catch {
    // On a full disk a part of it may be there.
    if (existsSync(fresh)) rmSync(fresh);
  }
}

function pathOf(stamp: string): string {
  return stamp.slice(0, stamp.lastIndexOf('"') + 1);
}
