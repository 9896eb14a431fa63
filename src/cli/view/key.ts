/** Finds the key of a session from the id that a person types. */

import { locate } from "../notices/index.ts";
import type { Shell } from "../terminal/index.ts";

/** Returns the key that the list uses. Errors: as `locate`. */
export async function keyFor(id: string, shell: Shell): Promise<string> {
  const located = await locate(id, shell, "without examples");
  const { keyOf } = await import("@continuo/agents/pages");
  return keyOf(located.kind === "own" ? located.row : located.native.found);
}
