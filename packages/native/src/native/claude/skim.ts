/**
 * Makes the row of a session without reading all of its file. It reads lines from the start until the first facts are
 * known, and lines from the end until the last facts are known, and searches the bytes between for a title.
 *
 * Problems that a skim finds: those of `find`, an unreadable file, a file without a conversation, and a torn last line
 * (without its number). All others need a full read.
 */

import type { Problem, SessionInfo } from "@continuo/core/model";
import type { FoundFile, Json } from "@continuo/files";
import { textOfValue } from "@continuo/files";
import {
  type FoundSession,
  rowOfFiles,
  type SkimOptions,
  type SkimSteps,
  skimLines,
  skimRow,
  type TailKnowledge,
  tornProblems,
} from "../kit/index.ts";
import { subagentIdOf } from "./find.ts";
import {
  createFirsts,
  createLasts,
  finishRow,
  foldFirsts,
  foldLastsBackwards,
  type HeadFacts,
  type Sidechains,
  type TailFacts,
  TITLE_MARKERS,
} from "./row-fold.ts";
import { titleInSidecar } from "./sidecar-files.ts";

export async function skimSession(found: FoundSession, options: SkimOptions): Promise<SessionInfo> {
  const sidechains = sidechainsOf(found);
  return await skimRow<SkimState>(found, options, {
    what: `claude ${sidechains}`,
    look: (file) => skimFile(file, sidechains, options),
    problemsOf: ({ problems }) => problems,
    rowOf: (state, problems) =>
      rowOf(found, state?.firsts ?? createFirsts(), state?.lasts ?? createLasts(), problems, options),
  });
}

/** The facts from the bytes of the file. */
interface SkimState {
  readonly firsts: HeadFacts;
  readonly lasts: TailFacts;
  readonly problems: readonly Problem[];
}

/** Errors: `not_found`, `unreadable`. */
async function skimFile(file: FoundFile, sidechains: Sidechains, options: SkimOptions): Promise<SkimState> {
  const firsts = createFirsts();
  const lasts = createLasts();
  const steps: SkimSteps = {
    first(record) {
      foldFirsts(firsts, record, sidechains);
      return isComplete(firsts);
    },
    last(record) {
      foldLastsBackwards(lasts, record);
      return knownOf(lasts);
    },
    titleMarkers: TITLE_MARKERS,
    title(record) {
      if (TITLE_TYPES.has(textOfValue(record.type))) foldLastsBackwards(lasts, titleOnly(record));
      return lasts.customTitle !== null;
    },
  };
  const { sawAll, torn } = await skimLines(file, steps, options);
  const empty = sawAll && !firsts.conversation ? [emptyProblem(file.sizeBytes)] : [];
  return { firsts, lasts, problems: [...empty, ...tornProblems(torn)] };
}

function isComplete(firsts: HeadFacts): boolean {
  return firsts.conversation && firsts.createdAt !== null && firsts.cwd !== null && firsts.typed !== null;
}

function knownOf(lasts: TailFacts): TailKnowledge {
  if (lasts.updatedAt === null || lasts.gitBranch === undefined) return "too little";
  return lasts.customTitle === null ? "all but the title" : "everything";
}

/** The row from `firsts` and `lasts`; a full read computes the same two. */
export function rowOf(
  found: FoundSession,
  firsts: HeadFacts,
  lasts: TailFacts,
  problems: readonly Problem[],
  { titleBeside }: Pick<SkimOptions, "titleBeside"> = {},
): SessionInfo {
  const newest = found.files.at(-1);
  const look = titleBeside ?? (() => titleInSidecar(newest?.path ?? ""));
  const beside = newest === undefined ? null : look(found);
  return rowOfFiles("claude", found, finishRow(firsts, lasts, beside), problems);
}

/**
 * Returns `own` for the file of a sub-agent, and for a sub-agent that was requested inside of a file: there, the
 * sidechain lines are the conversation.
 */
export function sidechainsOf(found: FoundSession): Sidechains {
  const file = found.files.at(-1)?.path ?? found.location;
  return file !== found.location || subagentIdOf(file) !== null ? "own" : "foreign";
}

export function emptyProblem(sizeBytes: number): Problem {
  const message = sizeBytes === 0 ? "the file is empty" : "no line of a conversation is in the file";
  return { code: "empty", line: null, message };
}

const TITLE_TYPES: ReadonlySet<string> = new Set(TITLE_MARKERS.map((marker) => marker.slice(1, -1)));

/** Only the title counts, because the other fields of this line may not be the last ones of the file. */
function titleOnly(record: Json): Json {
  return {
    type: record.type,
    customTitle: record.customTitle,
    aiTitle: record.aiTitle,
    summary: record.summary,
  };
}
