/**
 * A session that was moved cannot be moved to a third machine, because the machine that has it may have continued it.
 */

import { type LocatedSession, movedToOf } from "@continuo/agents/catalog";
import { ContinuoError, shellWord } from "@continuo/core/model";
import { placesOf } from "@continuo/files";
import type { Shell } from "../terminal/index.ts";

/** Refuses a session that was moved to another machine than `machine`. Errors: `conflict`. */
export function refuseMovedElsewhere(found: LocatedSession["found"], machine: string, shell: Shell): void {
  const moved = movedToOf(found, placesOf(shell));
  if (moved === null || moved.machine === machine) return;
  throw new ContinuoError("conflict", `session ${found.sessionId} was moved to ${moved.machine}`, {
    hint: `Move it from that machine, or from here as it was after \`continuo move ${shellWord(`${found.agent}:${found.sessionId}`)} --take-back\`.`,
  });
}
