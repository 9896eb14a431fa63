/** The session that `chat` and `repl` continue or copy, as a name that a conversation can open. */

import { nameOf } from "@continuo/agents/catalog";
import { isContinuoError } from "@continuo/core/model";
import type { Shell } from "../terminal/index.ts";
import { chooseInstead, locate } from "./notices.ts";
import { isRowNumber } from "./row-numbers.ts";

/** A whole id, a name with its agent, and a path name one session; the conversation itself finds `last`. */
const WHOLE = /^last$|[:/#]|^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu;

/**
 * @param given `true` for a flag without an id: the person chooses
 *
 * Errors: as `locate`, but `not_found` only for a row.
 */
export async function sessionToResume(given: string | true, verb: string, shell: Shell): Promise<string> {
  if (given === true) {
    const [chosen = "last"] = await chooseInstead({ verb, many: false }, shell);
    return chosen;
  }
  if (WHOLE.test(given)) return given;
  try {
    const located = await locate(given, shell, "without examples");
    return located.kind === "own" ? nameOf(located.row) : located.native.found.location;
  } catch (error) {
    // The agent itself may know the id.
    if (isContinuoError(error, "not_found") && !isRowNumber(given)) return given;
    throw error;
  }
}
