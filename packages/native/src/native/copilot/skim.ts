/**
 * Makes the row of a session without a full read. It reads records from the start of the file until the facts of the
 * start are known, and records from the end until the facts of the end are known. `workspace.yaml`, next to the file,
 * gives the title.
 *
 * Problems that a skim finds: those of `find`, an unreadable file, a file without a record, mistakes in the header, and
 * a torn last line (without its number). All others need a full read.
 */

import type { Problem, SessionInfo } from "@continuo/core/model";
import type { FoundFile, Json } from "@continuo/files";
import {
  type FoundSession,
  headerProblems,
  rowOfFiles,
  type SkimOptions,
  skimLines,
  skimRow,
  skimStart,
  tornProblems,
} from "../kit/index.ts";
import {
  createFirsts,
  createLasts,
  finishRow,
  foldFirsts,
  foldLastsBackwards,
  type HeadFacts,
  type TailFacts,
} from "./row-fold.ts";
import { readName } from "./workspace.ts";

export async function skimSession(found: FoundSession, options: SkimOptions): Promise<SessionInfo> {
  return await skimRow<HeadLook>(found, options, {
    what: "copilot",
    look: (file) => lookAt(file, options),
    problemsOf: ({ firsts, torn }) => [...headProblems(found, firsts), ...tornProblems(torn)],
    rowOf: (look, problems) =>
      rowOf(found, look?.firsts ?? createFirsts(), look?.lasts ?? createLasts(), problems),
  });
}

/** The facts that only the bytes of the file decide; plain JSON, because they are cached. */
interface HeadLook {
  readonly firsts: HeadFacts;
  readonly lasts: TailFacts;
  readonly torn: boolean;
}

async function lookAt(file: FoundFile, options: SkimOptions): Promise<HeadLook> {
  const firsts = createFirsts();
  const lasts = createLasts();
  const { torn } = await skimLines(
    file,
    {
      first: (record) => foldStart(firsts, record),
      last(record) {
        foldLastsBackwards(lasts, record);
        return lasts.time === null ? "too little" : "everything";
      },
      titleMarkers: [],
      title: () => true,
    },
    options,
  );
  return { firsts, lasts, torn };
}

/** True if the start of the file can give no further facts. */
function foldStart(firsts: HeadFacts, record: Json): boolean {
  foldFirsts(firsts, record);
  return firsts.header !== null && firsts.time !== null && firsts.typed !== null;
}

/** The row from `firsts` and `lasts`; a full read computes the same two. */
export function rowOf(
  found: FoundSession,
  firsts: HeadFacts,
  lasts: TailFacts,
  problems: readonly Problem[],
): SessionInfo {
  return rowOfFiles("copilot", found, finishRow(firsts, lasts, readName(found.location)), problems);
}

/** Returns the problems of the start of a file: Copilot refuses one that has no header. */
export function headProblems(found: FoundSession, firsts: HeadFacts): Problem[] {
  const place = `the folder ${found.sessionId}; Copilot uses the name of the folder`;
  return headerProblems(firsts, found, { type: "session.start", place });
}

/** Folds records from the start as long as they can give further facts. */
export async function skimFirsts(file: FoundFile, firsts: HeadFacts, options: SkimOptions): Promise<void> {
  await skimStart(file, { first: (record) => foldStart(firsts, record) }, options);
}
