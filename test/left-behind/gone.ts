/** Waits until nothing of an agent is left. */

import { expect, vi } from "vitest";
import { guardiansOf, isRunning } from "./processes.ts";

/** Nothing of these programs runs any more, and nobody guards them. */
export async function expectGone(pids: readonly number[]): Promise<void> {
  await vi.waitFor(
    () => {
      const left = { running: pids.filter(isRunning), guardians: pids.flatMap(guardiansOf) };
      expect(left).toEqual({ running: [], guardians: [] });
    },
    { timeout: 90_000 },
  );
}
