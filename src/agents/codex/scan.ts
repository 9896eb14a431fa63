/** The first pass over all files of a session: opens them, folds their lines, finds where paths end. */

import type { Problem } from "../../model/index.ts";
import { type FoundSession, pairProblems } from "../reader/index.ts";
import { type LineFile, openLines } from "../records/index.ts";
import { type Draft, pathTo } from "./drafts.ts";
import { fileOf } from "./header.ts";
import {
  type Cut,
  createFileIndex,
  createSessionIndex,
  type FileIndex,
  finish,
  fold,
  isDone,
  type SessionIndex,
} from "./index-fold.ts";
import type { Lineage, LineageFile } from "./lineage.ts";
import { orderProblems } from "./order.ts";

export interface ScannedFile {
  readonly source: LineageFile;
  readonly lines: LineFile;
  readonly index: FileIndex;
}

export interface Scanned {
  readonly files: readonly ScannedFile[];
  readonly session: SessionIndex;
  readonly problems: readonly Problem[];
  close(): void;
}

export interface ScanStart {
  readonly found: FoundSession;
  readonly lineage: Lineage;
  /** Begin the main file here and read no other. */
  readonly from?: number;
  readonly signal?: AbortSignal;
  readonly keep?: "all";
}

/** Errors: `not_found`, `unreadable`. */
export async function scanFiles({ found, lineage, from, signal, keep }: ScanStart): Promise<Scanned> {
  const session = createSessionIndex();
  const sources = from === undefined ? lineage.files : lineage.files.slice(-1);
  const files: ScannedFile[] = [];
  const close = () => {
    for (const { lines } of files) lines.close();
  };
  const cuts = new Map(sources.map((source) => [source, cutsOf(source, sources)]));
  try {
    for (const source of sources) {
      const head =
        cuts.get(source.base?.file ?? source)?.find((cut) => cut.child === source.path)?.at ?? null;
      const index = createFileIndex({
        file: files.length,
        own: source.own,
        session,
        cuts: cuts.get(source) ?? [],
        head,
        paginated: source.meta?.paginated ?? false,
      });
      const lines = openLines(source.path, source.sizeBytes, keep);
      files.push({ source, lines, index });
      for await (const records of lines.scan({
        part: "whole",
        ...(from && { from }),
        ...(signal && { signal }),
      })) {
        for (const record of records) fold(index, record);
        if (isDone(index)) break;
      }
      finish(index);
    }
  } catch (error) {
    close();
    throw error;
  }
  const halves = from === undefined ? "report" : "expect";
  return { files, session, problems: files.flatMap((file) => problemsOf(file, found, halves)), close };
}

function cutsOf(source: LineageFile, sources: readonly LineageFile[]): Cut[] {
  return sources.flatMap(({ path, base }) => {
    if (base?.file !== source) return [];
    const { endOrdinal, endOffset } = base.cut;
    return [{ child: path, endOrdinal, endOffset, at: null, line: null, reached: false }];
  });
}

/** A part of a file holds halves of pairs at its edge, and so does a file of another thread. */
function problemsOf(
  { source, lines, index }: ScannedFile,
  found: FoundSession,
  halves: "report" | "expect",
): Problem[] {
  const pairs = source.own && halves === "report" ? pairProblems(index.pairs) : [];
  const problems = [...lines.problems(), ...index.problems, ...pairs, ...orderProblems(index.order)];
  const file = fileOf(found, source.path);
  return problems.map((problem) => ({ ...problem, ...file }));
}

export interface PathEnd {
  readonly draft: Draft | null;
  readonly updatedAt: string | null;
  readonly active: boolean;
}

/**
 * The end of the main file, then of every path that was left: by a rollback, or by a revert that went on in
 * another file. An end that another path runs through is none.
 */
export function pathEnds({ files, session }: Scanned): PathEnd[] {
  const main = files.at(-1)?.index;
  if (main === undefined) return [];
  const left = [
    ...files
      .slice(0, -1)
      .flatMap(({ index }) => (index.own ? [{ leaf: index.head, updatedAt: index.updatedAt }] : [])),
    ...session.left,
  ];
  const passed = new Set(pathTo(main.head));
  const ends: PathEnd[] = [{ draft: main.head, updatedAt: main.updatedAt, active: true }];
  for (const { leaf, updatedAt } of left.sort(byTimeDown)) {
    const path = pathTo(leaf);
    const last = path.at(-1);
    if (last === undefined || passed.has(last)) continue;
    for (const draft of path) passed.add(draft);
    ends.push({ draft: last, updatedAt, active: false });
  }
  return ends;
}

function byTimeDown(a: { updatedAt: string | null }, b: { updatedAt: string | null }): number {
  return (b.updatedAt ?? "") < (a.updatedAt ?? "") ? -1 : 1;
}
