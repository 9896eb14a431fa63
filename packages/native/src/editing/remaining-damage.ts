/** The damage that a repair leaves: reads the whole repaired session and returns its problems. */

import { type Problem, severityOf } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { checkFoundSession, type Lookup } from "../native/index.ts";

/** Returns the damage of a session as it is on disk, without its other problems. */
export async function damageOf(lookup: Lookup, places: Places): Promise<Problem[]> {
  const { problems } = await checkFoundSession(lookup, { places });
  return problems.filter((problem) => severityOf(problem) === "damage");
}

/**
 * Returns the problems of a session once the repaired copy is in its place: the damage of the copy, and the damage of
 * the session's other files, which the copy does not have.
 *
 * @param copy `null` if the copy itself does not show that it is a session.
 */
export async function damageLeft(session: Lookup, copy: Lookup | null, places: Places): Promise<Problem[]> {
  const around = (await damageOf(session, places)).filter(isAround);
  if (copy === null) return [KNOWN_BY_PLACE, ...around];
  return [...(await damageOf(copy, places)).filter((problem) => !isAround(problem)), ...around];
}

const KNOWN_BY_PLACE: Problem = {
  code: "missing_header",
  line: null,
  message: "the file is known as a session by its place alone",
};

function isAround({ file, code }: Problem): boolean {
  return file !== undefined || code === "missing_parent_session";
}
