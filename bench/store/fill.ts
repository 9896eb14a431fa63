/** Logs of many events, filled by the database itself; their hashes have only the right length. */

import { DatabaseSync } from "node:sqlite";

const VALUE = "x".repeat(480);

/** Puts events into an existing, empty log. */
export function fillLog(path: string, logId: string, count: number): void {
  const database = new DatabaseSync(path);
  const { key } = database.prepare("select log_key as key from logs where log_id = ?").get(logId) as {
    key: number;
  };
  database.exec("pragma synchronous = off; begin");
  database
    .prepare(
      `insert into events (log_key, sequence, event_id, type, actor, occurred_at, recorded_at, retention, payload,
         payload_hash, chain_hash)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
       select ?, i, printf('%016x-filled', i), 'custom', '{"kind":"system"}', '2026-01-01T00:00:00.000Z',
         '2026-01-01T00:00:00.000Z', 0, ?, printf('%064x', i), printf('%064x', i) from n`,
    )
    .run(count, key, JSON.stringify({ name: "bench", value: VALUE }));
  database
    .prepare("update logs set head_sequence = ?, head_hash = printf('%064x', ?) where log_key = ?")
    .run(count, count, key);
  database.exec("commit; pragma wal_checkpoint(truncate)");
  database.close();
}
