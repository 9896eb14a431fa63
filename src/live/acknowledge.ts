/** The answer to accepted input, which is durable by then. */

import type { StoredEvent } from "../model/index.ts";
import { depthOf, isCounted } from "./fold.ts";
import type { Follower } from "./follower.ts";
import { nextLevel } from "./levels.ts";
import { countInput } from "./metrics.ts";
import type { Acknowledgement } from "./types.ts";

/** The fold may be behind the stored events. */
export function acknowledge(
  { fold }: Follower,
  stored: readonly StoredEvent[],
  { backpressure }: { readonly backpressure: boolean },
): Acknowledgement {
  const unseen = stored.filter((event) => event.sequence > fold.sequence && isCounted(event)).length;
  const depth = depthOf(fold) + unseen;
  const level = backpressure ? nextLevel(fold.level, depth) : "normal";
  const types = stored.map(({ type }) => type);
  countInput(types, depth);
  return { sequences: stored.map(({ sequence }) => sequence), depth, level, dropped: 0 };
}
