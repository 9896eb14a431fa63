/** The command that continues a session, in its folder. */

import { isAbsolute } from "node:path";
import { type LookUpHit, openCatalogSession } from "@continuo/agents/catalog";
import { ContinuoError, commandLine } from "@continuo/core/model";
import type { ResumeAnswer } from "@continuo/core/wire/machine";
import { isFolder, type PlacesAt } from "@continuo/files";
import { formatOf, resumeCommandOf } from "@continuo/native";

/** Errors: `not_found` if the session names no folder that exists. */
export async function resumeOf(hit: LookUpHit, places: PlacesAt): Promise<ResumeAnswer> {
  if (hit.kind === "own") {
    return resumeAnswer(hit.row.cwd ?? places.home, ["continuo", "repl", "--resume", hit.row.sessionId]);
  }
  using session = await openCatalogSession(hit, places, { newestBytes: 1 });
  const { cwd, sessionId } = session.details;
  if (cwd === null || !isAbsolute(cwd) || !isFolder(cwd)) {
    throw new ContinuoError("not_found", "the session names no folder that exists", {
      hint: "Use a hand-over to its own agent, with a folder that exists.",
      details: { cwd },
    });
  }
  const { found } = hit.native;
  const { agent } = found;
  const { keepSafe } = await formatOf(agent);
  // Its agent may delete the session when it starts, so the command of Continuo copies it first.
  const argv =
    keepSafe === undefined ? resumeCommandOf(found) : ["continuo", "resume", `${agent}:${sessionId}`];
  return resumeAnswer(cwd, argv);
}

export function resumeAnswer(cwd: string, argv: readonly string[]): ResumeAnswer {
  return { cwd, argv, command: commandLine(cwd, argv) };
}
