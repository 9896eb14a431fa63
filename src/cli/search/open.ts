/** `open`: one turn of a session, as `session show` draws it. */

import { ContinuoError } from "@continuo/core/model";
import { showTurnWork } from "../session/index.ts";
import type { Shell } from "../terminal/index.ts";
import type { OpenFlags } from "./flags.ts";
import { resultOf } from "./numbers.ts";

export async function runOpen(name: string, { message }: OpenFlags, shell: Shell): Promise<number> {
  if (message !== undefined) return await showTurnWork(name, message, shell);
  if (!/^[1-9]\d{0,6}$/u.test(name)) {
    throw new ContinuoError("usage", `${JSON.stringify(name)} is not the number of a result`, {
      hint: "Run `continuo search` to see the numbers, or `continuo session show` for a whole session.",
    });
  }
  const result = resultOf(Number(name), shell);
  if (result === null) {
    throw new ContinuoError("not_found", `this terminal has no result ${name}`, {
      hint: "Run `continuo search` first: the numbers are those of the last search in this terminal.",
    });
  }
  return await showTurnWork(result.location, result.messageId, shell);
}
