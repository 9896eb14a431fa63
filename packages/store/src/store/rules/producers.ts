/** Producers: writers that number their appends, so that a repeated append is recognized without ids. */

import { ContinuoError, type Producer, type ProducerWrite, type Write } from "@continuo/core/model";
import { type Scope, sql, type Transaction, textOnce, type Work } from "../engine/index.ts";
import { assertName, fenced, invalid, isoOf } from "./refusals.ts";

export interface ProducerRow {
  readonly producer_id: string;
  readonly epoch: number;
  readonly sequence: number;
  readonly updated_at: number;
}

/** Errors: `invalid`. */
export function producerOf(also: readonly Write[]): ProducerWrite | undefined {
  const given = also.filter((write) => write.type === "producer");
  if (given.length > 1) throw invalid("an append can have at most one producer");
  const write = given[0];
  if (write === undefined) return undefined;
  assertName("producerId", write.producerId);
  if (!Number.isSafeInteger(write.epoch) || write.epoch < 0)
    throw invalid("the epoch must be a whole number");
  if (!Number.isSafeInteger(write.sequence) || write.sequence < 0) {
    throw invalid("the producer's sequence must be a whole number");
  }
  return write;
}

export function* findProducer(
  scope: Scope,
  logKey: number,
  producerId: string,
): Work<ProducerRow | undefined> {
  const rows = yield* sql<ProducerRow>(
    scope,
    "select producer_id, epoch, sequence, updated_at from producers where log_key = ? and producer_id = ?",
    logKey,
    producerId,
  );
  return rows[0];
}

/** Returns true if this number was accepted before. */
export function isAccepted(given: ProducerWrite, known: ProducerRow | undefined): boolean {
  return known !== undefined && given.epoch === known.epoch && given.sequence <= known.sequence;
}

/** Errors: `fenced`, `invalid` (a new epoch that does not begin at 0), `sequence_gap`. */
export function assertProducerFollows(
  what: "epoch" | "sequence",
  given: ProducerWrite,
  known: ProducerRow | undefined,
): void {
  const { producerId, epoch, sequence } = given;
  if (what === "epoch") {
    if (known === undefined || epoch >= known.epoch) return;
    throw fenced(`the producer ${producerId} is in epoch ${known.epoch}`, {
      producerId,
      epoch: known.epoch,
    });
  }
  if (known !== undefined && epoch > known.epoch && sequence !== 0) {
    throw invalid("a new epoch must begin with sequence 0", { producerId, epoch, sequence });
  }
  const expected = known === undefined || epoch > known.epoch ? 0 : known.sequence + 1;
  if (sequence === expected) return;
  throw new ContinuoError(
    "sequence_gap",
    `the producer ${producerId} sent ${sequence}, but ${expected} is the next sequence`,
    {
      hint: "Send the missing records first.",
      details: { producerId, expected, received: sequence },
    },
  );
}

export function* writeProducer(
  tx: Transaction,
  logKey: number,
  now: number,
  write: ProducerWrite,
): Work<void> {
  const text = textOnce(tx.dialect, "producer", () => {
    const { onConflict, proposed } = tx.dialect;
    const changes = ["epoch", "sequence", "updated_at"].map((column) => `${column} = ${proposed(column)}`);
    return `insert into producers (log_key, producer_id, epoch, sequence, updated_at) values (?, ?, ?, ?, ?)
     ${onConflict("log_key, producer_id", changes.join(", "))}`;
  });
  yield* sql(tx, text, logKey, write.producerId, write.epoch, write.sequence, now);
}

export function toProducer(logId: string, row: ProducerRow): Producer {
  return {
    logId,
    producerId: row.producer_id,
    epoch: row.epoch,
    sequence: row.sequence,
    updatedAt: isoOf(row.updated_at),
  };
}
