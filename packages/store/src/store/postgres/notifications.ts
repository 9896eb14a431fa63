/**
 * Notifications between the servers of one database: they are sent at most every few milliseconds, and name all logs
 * that changed. Notifications may be lost; polling finds the rest.
 */

import pg from "pg";
import { type Changes, LIMITS } from "../engine/index.ts";
import { connectionTo, rowsOf } from "./connections.ts";

const CHANNEL = "continuo_changes";
/** A notification holds less than 8,000 bytes. */
const KEYS_PER_NOTICE = 400;

export class Notifications {
  readonly #pool: pg.Pool;
  readonly #url: string;
  readonly #node: string;
  readonly #changes: () => Changes;
  readonly #told = new Set<number>();
  readonly #heads = new Map<number, string>();
  #tellTimer: NodeJS.Timeout | undefined;
  #pollTimer: NodeJS.Timeout | undefined;
  #listener: pg.Client | undefined;
  #sending: Promise<void> = Promise.resolve();

  constructor(
    pool: pg.Pool,
    options: { readonly url: string; readonly node: string; readonly changes: () => Changes },
  ) {
    this.#pool = pool;
    this.#url = options.url;
    this.#node = options.node;
    this.#changes = options.changes;
  }

  /** Notifies the other servers soon. */
  tell(changed: ReadonlySet<number>): void {
    for (const key of changed) this.#told.add(key);
    if (this.#told.size === 0) return;
    this.#tellTimer ??= setTimeout(() => {
      this.#tellTimer = undefined;
      this.#sending = this.#send();
    }, LIMITS.notifyMs);
  }

  watch(watching: number): void {
    if (watching === 0) {
      clearInterval(this.#pollTimer);
      this.#pollTimer = undefined;
      this.#heads.clear();
    } else if (this.#pollTimer === undefined) {
      this.#pollTimer = setInterval(() => void this.#poll(), LIMITS.postgresPollMs);
      void this.#listen();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#tellTimer);
    this.watch(0);
    await this.#sending;
    await this.#send();
    const listener = this.#listener;
    this.#listener = undefined;
    await listener?.end().catch(() => undefined);
  }

  async #send(): Promise<void> {
    const keys = [...this.#told];
    this.#told.clear();
    for (let at = 0; at < keys.length; at += KEYS_PER_NOTICE) {
      const notice = `${this.#node}:${keys.slice(at, at + KEYS_PER_NOTICE).join(",")}`;
      const statement = { sql: "select pg_notify($1, $2)", parameters: [CHANNEL, notice] };
      // The other servers also poll, so a change whose notice is lost is only found later.
      await rowsOf(this.#pool, statement).catch(() => undefined);
    }
  }

  async #listen(): Promise<void> {
    if (this.#listener !== undefined) return;
    const client = new pg.Client({ ...connectionTo(this.#url), application_name: "continuo (listening)" });
    this.#listener = client;
    const gone = (): void => {
      if (this.#listener === client) this.#listener = undefined;
    };
    client.on("error", gone);
    client.on("end", gone);
    client.on("notification", ({ payload = "" }) => this.#heard(payload));
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      this.#changes().tellAll();
    } catch {
      // The next poll tries again; until then only polling finds changes.
      gone();
      await client.end().catch(() => undefined);
    }
  }

  #heard(notice: string): void {
    const [node, keys = ""] = notice.split(":");
    if (node !== this.#node) this.#changes().tell(keys.split(",").map(Number));
  }

  async #poll(): Promise<void> {
    void this.#listen();
    const watched = [...this.#changes().watched()];
    const sql =
      "select log_key, head_sequence, closed_at, deleted_at from logs where log_key = any($1::bigint[])";
    try {
      const rows = (await rowsOf(this.#pool, { sql, parameters: [watched] })) as readonly PollRow[];
      const now = new Map(rows.map((row) => [row.log_key, JSON.stringify(row)]));
      this.#changes().tell(watched.filter((key) => this.#heads.get(key) !== (now.get(key) ?? "")));
      for (const key of watched) this.#heads.set(key, now.get(key) ?? "");
    } catch {
      // The database does not answer: readers find out when they read.
      this.#changes().tellAll();
    }
  }
}

interface PollRow {
  readonly log_key: number;
}
