/**
 * The row of a session without a full read.
 *
 * Problems that a skim finds: those of `find`, an unreadable file, a file without a conversation, and a torn last line
 * (without its number). All others need a full read.
 */

import type { Problem, SessionInfo } from "@continuo/core/model";
import { type FoundSession, rowOfFiles, type SkimOptions, skimRow, tornProblems } from "../kit/index.ts";
import { ownerOf, projectOfFile } from "./places.ts";
import { createFirsts, createLasts, type HeadFacts, type TailFacts } from "./row-fold.ts";
import { type SkimmedFile, skimFile } from "./skim-file.ts";

export async function skimSession(found: FoundSession, options: SkimOptions): Promise<SessionInfo> {
  return await skimRow<SkimmedFile>(found, options, {
    what: "gemini",
    look: (file) => skimFile(file, options),
    problemsOf: ({ firsts, sawAll, torn }, { sizeBytes }) => [
      ...tornProblems(torn),
      ...(sawAll && isEmpty(firsts) ? [emptyProblem(sizeBytes)] : []),
    ],
    rowOf: (skimmed, problems) =>
      rowOf(found, skimmed?.firsts ?? createFirsts(), skimmed?.lasts ?? createLasts(), problems),
  });
}

/** The row from `firsts` and `lasts`; a full read computes the same two. */
export function rowOf(
  found: FoundSession,
  firsts: HeadFacts,
  lasts: TailFacts,
  problems: readonly Problem[],
): SessionInfo {
  const facts = {
    cwd: cwdOf(found) ?? firsts.directory ?? null,
    title: lasts.summary ?? firsts.typed,
    gitBranch: null,
    createdAt: firsts.createdAt,
    updatedAt: lasts.updatedAt,
  };
  return rowOfFiles("gemini", found, facts, problems);
}

/** The folder of the session, according to the place of its file; `null` if the place does not show it. */
export function cwdOf(found: FoundSession): string | null {
  if (found.cwd !== undefined) return found.cwd;
  const project = projectOfFile(found.location);
  return project === null ? null : ownerOf(project);
}

/** A start without a message is not damage, because Gemini CLI leaves one at every resumption. */
export function isEmpty(firsts: HeadFacts): boolean {
  return !firsts.conversation && !firsts.started;
}

export function emptyProblem(sizeBytes: number): Problem {
  const message = sizeBytes === 0 ? "the file is empty" : "nothing of a conversation is in the file";
  return { code: "empty", line: null, message };
}
