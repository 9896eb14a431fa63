/** Ends the agent's program for a turn of another process: only one program of an agent can have a session open. */

import type { Store } from "@continuo/core/model";

export interface LeaveOptions {
  readonly store: () => Promise<Store>;
  readonly sessionId: string;
  readonly isOwnRun: (runId: string) => boolean;
  /** Ends the program, unless a turn runs in it. */
  readonly rest: () => Promise<void>;
  /** Aborts when the conversation is closed. */
  readonly signal: AbortSignal;
}

export interface LeaveWatch {
  /** Call it at the end of each turn: the program is ended only between turns. */
  turnEnded(): void;
}

export function leaveToOthers({ store, sessionId, isOwnRun, rest, signal }: LeaveOptions): LeaveWatch {
  let isWanted = false;
  const leave = (): void => void rest().catch(() => undefined);
  const watch = async (): Promise<void> => {
    const own = await store();
    const after = await own.latestSequence(sessionId);
    const { items } = await own.listRuns({ sessionId, status: ["pending", "running"] });
    isWanted = items.some(({ runId }) => !isOwnRun(runId));
    if (isWanted) leave();
    for await (const { runId } of own.tail(sessionId, { after, types: ["run_created"], signal })) {
      if (runId === undefined || isOwnRun(runId)) continue;
      isWanted = true;
      leave();
    }
  };
  // Without the store, no process begins a turn.
  watch().catch(() => undefined);
  return {
    turnEnded() {
      if (isWanted) leave();
      isWanted = false;
    },
  };
}
