/** Errors for changes of a session that opencode 2 keeps. */

import { ContinuoError } from "@continuo/core/model";

/** Continuo reads rows of `session_message` and writes none: a change of one generation would not reach the other. */
export function secondGeneration(act: string): ContinuoError {
  return new ContinuoError(
    "unsupported",
    `cannot ${act}: opencode 2 keeps it in tables that Continuo only reads`,
    {
      hint: "Run `continuo handoff` to copy it to another agent, or change it in opencode.",
    },
  );
}
