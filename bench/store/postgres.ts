/** Appends on Postgres compared with the same statement through `pg` directly. */

import { hash } from "node:crypto";
import { openStore } from "@continuo/store";
import pg from "pg";
import { startPostgres } from "../../test/store/harness/postgres-server.ts";
import type { Ratio } from "../measure/index.ts";
import { eventsOf } from "./appends.ts";
import { TARGETS } from "./limits.ts";
import { inTurn, printRates, rateOf } from "./sampling.ts";

const APPENDS = 1_000;
const CALLERS = 32;

/** One statement that moves the head of a log and stores an event, as a program without a store would write it. */
const BARE = `with head as (
    update logs set head_sequence = $1, head_hash = $2, changed_at = $3, changed_mark = $3
    where log_key = $4 and head_sequence = $5 returning log_key)
  insert into events (log_key, sequence, event_id, type, actor, occurred_at, recorded_at, retention, payload,
    payload_hash, chain_hash)
  select log_key, $1, $6, 'custom', '{"kind":"system"}', $7, $7, 0, $8, $9, $2 from head returning sequence`;

export async function benchPostgres(rounds: number): Promise<readonly Ratio[]> {
  const server = await startPostgres();
  try {
    const store = await openStore(server.url, { migrate: true });
    const [ours, theirs] = [await store.createLog(), await store.createLog()];
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query("select log_key from logs where log_id = $1", [theirs.logId]);
    const bare = bareAppender(client, Number(rows[0].log_key));
    const sampled = await inTurn(
      [
        {
          name: "bare pg",
          run: async () => {
            for (let n = 0; n < APPENDS; n++) await bare();
            return APPENDS;
          },
        },
        {
          name: "Continuo",
          run: async () => {
            for (let n = 0; n < APPENDS; n++) await store.append(ours.logId, eventsOf(1));
            return APPENDS;
          },
        },
        {
          name: `Continuo, ${CALLERS} callers`,
          run: async () => {
            let left = APPENDS;
            const call = async (): Promise<void> => {
              while (left-- > 0) await store.append(ours.logId, eventsOf(1));
            };
            await Promise.all(Array.from({ length: CALLERS }, call));
            return APPENDS;
          },
        },
      ],
      rounds,
    );
    printRates("Postgres: durable appends of 512 bytes", "events", sampled);
    await client.end();
    await store.close();
    const one = rateOf(sampled, "Continuo");
    const many = rateOf(sampled, `Continuo, ${CALLERS} callers`);
    return [
      {
        what: "Postgres append against bare pg",
        ratio: one / rateOf(sampled, "bare pg"),
        wanted: "above",
        target: TARGETS.postgres,
      },
      {
        what: `Postgres, ${CALLERS} callers against 1 caller`,
        ratio: many / one,
        wanted: "above",
        target: TARGETS.postgresGroupCommit,
      },
    ];
  } finally {
    await server.stop();
  }
}

function bareAppender(client: pg.Client, logKey: number): () => Promise<void> {
  let sequence = 0;
  let chain = "0".repeat(64);
  return async () => {
    const [event] = eventsOf(1);
    const now = new Date().toISOString();
    const text = JSON.stringify(event?.data);
    const payloadHash = hash("sha256", text, "hex");
    chain = hash("sha256", chain + payloadHash + now, "hex");
    const values = [sequence + 1, chain, Date.now(), logKey, sequence, event?.id, now, text, payloadHash];
    await client.query({ name: "bare", text: BARE, values });
    sequence++;
  };
}
