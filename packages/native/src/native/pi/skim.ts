/**
 * Makes the row of a session without reading all of its file: records from the start until the first facts are known, records
 * from the end until the last facts are, and a search for a title in the bytes between.
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
import { namedBy } from "./records.ts";
import {
  createFirsts,
  createLasts,
  finishRow,
  foldFirsts,
  foldLastsBackwards,
  type HeadFacts,
  type TailFacts,
  TITLE_MARKER,
} from "./row-fold.ts";

export async function skimSession(found: FoundSession, options: SkimOptions): Promise<SessionInfo> {
  return await skimRow<HeadLook>(found, options, {
    what: "pi",
    look: (file) => lookAt(file, options),
    problemsOf: ({ firsts, torn }) => [...headProblems(found, firsts), ...tornProblems(torn)],
    rowOf: (look, problems) =>
      rowOf(found, look?.firsts ?? createFirsts(), look?.lasts ?? createLasts(), problems),
  });
}

/** The facts that the bytes of the file give, as JSON. */
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
        if (lasts.time === null) return "too little";
        return lasts.name === undefined ? "all but the title" : "everything";
      },
      titleMarkers: [TITLE_MARKER],
      title(record) {
        lasts.name = namedBy(record) ?? undefined;
        return lasts.name !== undefined;
      },
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
  return rowOfFiles("pi", found, finishRow(firsts, lasts), problems);
}

/** Returns the problems of the start of a file: pi refuses one that does not begin with a header. */
export function headProblems(found: FoundSession, firsts: HeadFacts): Problem[] {
  const place = `the file name ${found.sessionId}; pi uses the id of the header`;
  return headerProblems(firsts, found, { type: "session", place });
}

/** Folds records from the start as long as they can give further facts. */
export async function skimFirsts(file: FoundFile, firsts: HeadFacts, options: SkimOptions): Promise<void> {
  await skimStart(file, { first: (record) => foldStart(firsts, record) }, options);
}
