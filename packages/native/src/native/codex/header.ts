/** The headers of a session's files: the parts of a row that do not need the conversation. */

import { basename } from "node:path";
import type { Problem, SessionInfo } from "@continuo/core/model";
import type { FoundSession, SkimOptions } from "../kit/index.ts";
import type { Lineage, LineageFile } from "./lineage.ts";
import { homeOfFile, parseRolloutName } from "./places.ts";
import { readTitle } from "./titles.ts";

/** The time, the folder and the branch come from the oldest own header that names them. */
export type HeaderInfo = Omit<SessionInfo, "title" | "updatedAt"> & {
  readonly forkedFrom: string | null;
  /** The title from the index of titles; `null` if there is none. */
  readonly givenTitle: string | null;
};

export async function readHeaderInfo(
  found: FoundSession,
  lineage: Lineage,
  { titleBeside }: Pick<SkimOptions, "titleBeside"> = {},
): Promise<HeaderInfo> {
  const own = lineage.files.filter((file) => file.own);
  const metas = own.flatMap(({ meta }) => meta ?? []);
  const home = homeOfFile(found.location);
  return {
    agent: "codex",
    sessionId: found.sessionId,
    location: found.location,
    cwd: metas.find(({ cwd }) => cwd !== null)?.cwd ?? null,
    gitBranch: metas.find(({ gitBranch }) => gitBranch !== null)?.gitBranch ?? null,
    createdAt: metas.find(({ createdAt }) => createdAt !== null)?.createdAt ?? null,
    sizeBytes: found.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    archived: found.archived,
    live: found.live,
    forkedFrom: metas.find(({ forkedFrom }) => forkedFrom !== null)?.forkedFrom ?? null,
    givenTitle:
      titleBeside !== undefined
        ? titleBeside(found)
        : home === null
          ? null
          : await readTitle(home, found.sessionId),
    problems: [
      ...found.problems,
      ...lineage.problems,
      ...own.flatMap((file) => headerProblems(file, fileOf(found, file.path))),
    ],
  };
}

/** The `file` key of problems and places: left out for the main file. */
export function fileOf(found: FoundSession, path: string): { file?: string } {
  return path === found.location ? {} : { file: path };
}

export function mtimeOf(found: FoundSession): string | null {
  const main = found.files.at(-1);
  return main === undefined ? null : new Date(main.mtimeMs).toISOString();
}

function headerProblems({ path, sizeBytes, meta }: LineageFile, file: { file?: string }): Problem[] {
  if (sizeBytes === 0) return [{ code: "empty", line: null, message: "the file is empty", ...file }];
  if (meta === null) {
    return [{ code: "missing_header", line: 1, message: "the first line is no session_meta", ...file }];
  }
  const problems: Problem[] = [];
  const named = parseRolloutName(path).threadId;
  if (meta.id === null) {
    problems.push({ code: "missing_session_id", line: 1, message: "session_meta has no id", ...file });
  } else if (named !== null && named !== meta.id.toLowerCase()) {
    const message = `the file is named after ${named}, its session is ${meta.id}`;
    problems.push({ code: "wrong_session_id", line: 1, message, ...file });
  }
  if (meta.missingKeys.length > 0) {
    const message = `session_meta lacks ${meta.missingKeys.join(", ")}; Codex does not read ${basename(path)}`;
    problems.push({ code: "bad_record", line: 1, message, ...file });
  }
  const line = meta.unreadLineParts.map((part) => `${part} of the line`);
  const unread = [...meta.misformedKeys, ...line];
  if (unread.length > 0) {
    const message = `Codex cannot resume the session: it does not read ${unread.join(", ")} of the header`;
    problems.push({ code: "cannot_resume", line: 1, message, ...file });
  }
  return problems;
}
