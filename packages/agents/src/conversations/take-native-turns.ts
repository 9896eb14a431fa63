/** Loads the reading of native sessions at its first use: a command that begins a conversation does not need it. */

import type { NativeTurnsOptions, TakenTurns } from "./native-turns.ts";

/**
 * Errors: those of the store, and of reading the native session. A session without native files has nothing to take
 * over.
 */
export async function takeNativeTurns(options: NativeTurnsOptions): Promise<TakenTurns> {
  const loaded = await import("./native-turns.ts");
  return await loaded.takeNativeTurns(options);
}
