/** The baseline: direct use of `node:sqlite`, with the same durability, indexes and hashes. */

import { hash } from "node:crypto";
import { DatabaseSync, type StatementSync } from "node:sqlite";

const HASH_START = "0".repeat(64);

const TABLE = `create table events (log_key integer not null, sequence integer not null, event_id text not null,
  type text not null, parent_id text, actor text not null, run_id text, occurred_at text not null,
  recorded_at text not null, retention integer not null, payload text, bytes blob, payload_hash text not null,
  chain_hash text not null, extras text, primary key (log_key, sequence), unique (log_key, event_id));
  create index events_by_run on events (log_key, run_id, sequence) where run_id is not null`;

export interface BareEvent {
  readonly id: string;
  readonly data: unknown;
}

export interface BareLog {
  append(events: readonly BareEvent[]): void;
  close(): void;
}

export function openBare(path: string): BareLog {
  const database = new DatabaseSync(path);
  database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -65536");
  database.exec(TABLE);
  const insert: StatementSync = database.prepare(
    `insert into events values (1, ?, ?, 'custom', null, '{"kind":"system"}', null, ?, ?, 0, ?, null, ?, ?, null)`,
  );
  const [begin, commit] = ["begin immediate", "commit"].map((sql) => database.prepare(sql));
  let sequence = 0;
  let chain = HASH_START;
  return {
    append: (events) => {
      const now = new Date().toISOString();
      begin?.run();
      for (const { id, data } of events) {
        const text = JSON.stringify(data);
        const payloadHash = hash("sha256", text, "hex");
        const link = {
          actor: { kind: "system" },
          id,
          occurredAt: now,
          payloadHash,
          recordedAt: now,
          sequence: ++sequence,
        };
        chain = hash("sha256", `${chain}\n${JSON.stringify(link)}`, "hex");
        insert.run(sequence, id, now, now, text, payloadHash, chain);
      }
      commit?.run();
    },
    close: () => database.close(),
  };
}
