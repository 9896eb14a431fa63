/** Waits until no process of an agent is left. */

import { expect, vi } from "vitest";
import { guardiansOf, isRunning } from "./processes.ts";

/** Waits until none of these programs runs, and no guardian guards them. */
export async function expectGone(pids: readonly number[]): Promise<void> {
  await vi.waitFor(
    () => {
      const left = { running: pids.filter(isRunning), guardians: pids.flatMap(guardiansOf) };
      expect(left).toEqual({ running: [], guardians: [] });
    },
    { timeout: 90_000 },
  );
}
