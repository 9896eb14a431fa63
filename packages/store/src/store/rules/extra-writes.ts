/** The side writes of an append, each executed by the rules of its kind. */

import type { Write } from "@continuo/core/model";
import { LIMITS, sql, type Transaction, type Work } from "../engine/index.ts";
import { writeClaim } from "./claims.ts";
import { commitCursor, moveCursor } from "./cursors.ts";
import { releaseLease } from "./leases.ts";
import { closeRow, type LogRow } from "./log-rows.ts";
import { writeProducer } from "./producers.ts";
import { assertText, conflict, invalid, tooLarge } from "./refusals.ts";
import { insertRun, moveRun } from "./run-rows.ts";
import { patchSession } from "./session-rows.ts";
import { writeSnapshot } from "./snapshots.ts";

/** `log` is the log after the events of the append. */
export function* applyWrites(tx: Transaction, log: LogRow, also: readonly Write[]): Work<void> {
  if (also.length > LIMITS.writesPerAppend)
    throw tooLarge("side writes", LIMITS.writesPerAppend, also.length);
  for (const write of also) yield* writeOne(tx, log, write);
}

function* writeOne(tx: Transaction, log: LogRow, write: Write): Work<unknown> {
  switch (write.type) {
    case "cursor": {
      const other = write.logId !== undefined && write.logId !== log.log_id;
      return yield* other ? commitCursor(tx, write.logId, write) : moveCursor(tx, log, write);
    }
    case "session":
      return yield* patchSession(tx, write.sessionId ?? log.log_id, write.patch, log.now);
    case "new_run":
      return yield* insertRun(tx, log.log_id, write.run, log.now);
    case "run":
      return yield* moveRun(tx, write.runId, write.to, write.patch ?? {}, log.now);
    case "producer":
      return yield* writeProducer(tx, log.log_key, log.now, write);
    case "writer_sequence":
      return yield* writeWriterSequence(tx, log, write.value);
    case "snapshot":
      return yield* writeSnapshot(tx, log, write);
    case "claim":
      return yield* writeClaim(tx, write, log.now);
    case "lease_release":
      return yield* releaseLease(tx, write.name, write.token);
    case "close":
      return yield* closeRow(tx, log);
    default:
      throw invalid(`there is no side write of the type ${String((write as { type?: unknown }).type)}`);
  }
}

function* writeWriterSequence(tx: Transaction, log: LogRow, value: string): Work<void> {
  assertText("writer's sequence", value);
  if (log.writer_sequence !== null && value <= log.writer_sequence) {
    throw conflict(`the writer's sequence ${value} must be after ${log.writer_sequence}`, {
      logId: log.log_id,
      given: value,
      writerSequence: log.writer_sequence,
    });
  }
  yield* sql(tx, "update logs set writer_sequence = ? where log_key = ?", value, log.log_key);
}
