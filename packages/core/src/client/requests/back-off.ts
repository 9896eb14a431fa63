/** Tries to connect: the pauses between them, and the search for an obstacle after them. */

import type { ContinuoError } from "../../model/index.ts";

/**
 * After this many consecutive tries that met an obstacle, a client reports it; fewer may mean that the server is still
 * starting.
 */
export const OBSTACLE_TRIES: number = 3;

/**
 * Finds the obstacle on the way to a server. The code for it is loaded at the first search, because most connections
 * need none; where it cannot be loaded, nothing is known.
 */
export async function obstacleAt(url: string): Promise<ContinuoError | null> {
  const search = await import("./obstacle.ts").catch(() => null);
  return (await search?.obstacleAt(url)) ?? null;
}

/**
 * Each pause is twice as long as the one before, up to a longest pause; half of it is random, so that many clients do
 * not come back at the same moment.
 *
 * @param tries the number of failed tries since the last connection
 * @param chance from 0 up to 1
 */
export function backOffMs(
  tries: number,
  { firstMs, longestMs }: { readonly firstMs: number; readonly longestMs: number },
  chance: number = Math.random(),
): number {
  return Math.min(longestMs, firstMs * 2 ** tries) * (0.5 + chance / 2);
}
