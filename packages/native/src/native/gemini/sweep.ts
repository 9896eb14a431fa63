/**
 * Files that Gemini CLI 0.61.0 deletes because of the other files in their folder: it counts files, not sessions, and deletes with
 * a file all those whose names end in the same eight characters.
 */

import { join } from "node:path";
import { isFailure } from "@continuo/core/model";
import { type FoundFile, namesIn, statFile } from "@continuo/files";
import { type MemoKey, NO_MEMO, type SkimMemo } from "../kit/index.ts";
import { isSessionName, shortIdOf } from "./places.ts";
import { isRewound } from "./rewound-sessions.ts";
import type { Retention } from "./settings.ts";
import { lastUpdatedOf, skimFile } from "./skim-file.ts";

/** Another file, with which a file is deleted. */
export interface NeighbourEnd {
  readonly path: string;
  /** Milliseconds since 1970; 0 at the next start. */
  readonly atMs: number;
  /** `unlisted`: it has no conversation or no head; the others are the rules for healthy files. */
  readonly why: "unlisted" | "age" | "count";
}

/** One folder of sessions under one set of rules. */
export interface SweptFolder {
  /** It is not among the newest files that `maxCount` allows. */
  isBeyond(path: string): boolean;
  /** The first of the files whose deletion also deletes this one; `null` if there is none. */
  neighbourOf(path: string): Promise<NeighbourEnd | null>;
  /** The files that a sweep at this moment would keep; empty, and no file is read, if `maxCount` is `null`. */
  kept(nowMs: number): readonly string[];
}

/** If `maxCount` is set, reads every file of the folder; otherwise only files whose names have the same ending. */
export async function sweepOf(
  folder: string,
  { maxCount, maxAgeMs }: Pick<Retention, "maxCount" | "maxAgeMs">,
  memo: SkimMemo = NO_MEMO,
): Promise<SweptFolder> {
  const paths = namesIn(folder)
    .filter(isSessionName)
    .toSorted()
    .map((name) => join(folder, name));
  const alike = Map.groupBy(paths, (path) => shortIdOf(path) ?? path);
  const newestFirst = maxCount === null ? [] : await byAge(paths, memo);
  const beyond = new Set(newestFirst.filter((_, rank) => rank >= (maxCount ?? 0)).map(({ path }) => path));
  const endOf = ({ timeMs }: ListedFile): number =>
    maxAgeMs === null || timeMs === null ? Number.POSITIVE_INFINITY : timeMs + maxAgeMs;

  async function endOfNeighbour(path: string): Promise<NeighbourEnd | null> {
    if (beyond.has(path)) return { path, atMs: 0, why: "count" };
    const file = statFile(path);
    if (file === null) return null;
    const listed = await lookAt(file, memo);
    if (listed === null) return { path, atMs: 0, why: "unlisted" };
    const atMs = endOf({ path, ...listed });
    return atMs === Number.POSITIVE_INFINITY ? null : { path, atMs, why: "age" };
  }

  return {
    isBeyond: (path) => beyond.has(path),
    async neighbourOf(path) {
      let first: NeighbourEnd | null = null;
      for (const other of alike.get(shortIdOf(path) ?? path) ?? []) {
        const end = other === path ? null : await endOfNeighbour(other);
        if (end !== null && (first === null || end.atMs < first.atMs)) first = end;
      }
      return first;
    },
    kept: (nowMs) =>
      newestFirst.filter((file) => !beyond.has(file.path) && endOf(file) >= nowMs).map(({ path }) => path),
  };
}

interface ListedFile {
  readonly path: string;
  /** The value `null` counts as now. */
  readonly timeMs: number | null;
}

/** The first by name is the newer one of two with the same time. */
async function byAge(paths: readonly string[], memo: SkimMemo): Promise<readonly ListedFile[]> {
  const files: ListedFile[] = [];
  for (const path of paths) {
    const file = statFile(path);
    const listed = file === null ? null : await lookAt(file, memo);
    if (listed !== null) files.push({ path, ...listed });
  }
  const timeOf = ({ timeMs }: ListedFile): number => timeMs ?? Number.MAX_VALUE;
  return files.sort((a, b) => timeOf(b) - timeOf(a));
}

const SWEEP: MemoKey = { what: "gemini sweep", isBrief: true };

/** `null` for a file that Gemini CLI cannot list. */
async function lookAt(file: FoundFile, memo: SkimMemo): Promise<Pick<ListedFile, "timeMs"> | null> {
  return await memo.remember(file, SWEEP, async () => {
    try {
      const { firsts } = await skimFile(file, { part: "whole" });
      if (!firsts.conversation || firsts.directory === undefined || (await isRewound(file))) return null;
      const time = Date.parse((await lastUpdatedOf(file)) ?? "");
      return { timeMs: Number.isNaN(time) ? null : time };
    } catch (error) {
      if (!isFailure(error)) throw error;
      return null;
    }
  });
}
