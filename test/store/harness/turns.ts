/**
 * Counts the work on SQLite between two turns of the event loop. The number does not depend on the speed of the
 * machine.
 */

import { Connection } from "../../../packages/store/src/store/sqlite/connection.ts";

export interface WorkCount {
  /** The most work of one turn, where a row counts as 1. */
  readonly most: number;
  readonly total: number;
}

export async function countWork(run: () => Promise<unknown>): Promise<WorkCount> {
  const { advance } = Connection.prototype;
  let inTurn = 0;
  let most = 0;
  let total = 0;
  Connection.prototype.advance = function (running) {
    const work = advance.call(this, running);
    inTurn += work;
    total += work;
    most = Math.max(most, inTurn);
    return work;
  };
  let turn = setImmediate(function next() {
    inTurn = 0;
    turn = setImmediate(next);
  });
  try {
    await run();
    return { most, total };
  } finally {
    Connection.prototype.advance = advance;
    clearImmediate(turn);
  }
}
