/**
 * A server that shows Postgres a certificate instead of a password. The certificate in `certificates/` is for tests
 * only: it is self-signed, for the host `localhost` and the user `continuo` (`openssl req -x509 -newkey ec -nodes -subj
 * /CN=continuo -addext subjectAltName=DNS:localhost`).
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@continuo/store";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PostgresServer, startPostgres } from "./harness/postgres-server.ts";

const FILE = join(import.meta.dirname, "certificates/continuo.pem");
const PAGE = readFileSync(join(import.meta.dirname, "../../docs/server.md"), "utf8");

/** Only the owner may connect without a certificate. */
const RULES = ["host all postgres 127.0.0.1/32 trust", "hostssl all continuo 127.0.0.1/32 cert"];

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
  await (await openStore(postgres.url, { migrate: true })).close();
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  /** The server itself writes the files, because it does not read a key that belongs to another user. */
  const write = async (name: string, text: string): Promise<void> => {
    const lines = `unnest(string_to_array($text$${text.trimEnd()}$text$, E'\\n'))`;
    await client.query(`copy (select * from ${lines}) to program 'umask 077; cat > ${name}'`);
  };
  await write("server.pem", readFileSync(FILE, "utf8"));
  await write("pg_hba.conf", RULES.join("\n"));
  for (const name of ["ssl_cert_file", "ssl_key_file", "ssl_ca_file"]) {
    await client.query(`alter system set ${name} = 'server.pem'`);
  }
  await client.query("alter system set ssl = on");
  await client.query("create role continuo login");
  await client.query("grant usage on schema public to continuo");
  await client.query("grant select, insert, update, delete on all tables in schema public to continuo");
  await client.query("grant usage on all sequences in schema public to continuo");
  await client.query("select pg_reload_conf()");
  await client.end();
}, 60_000);
afterAll(() => postgres?.stop());

/** The URL from the documentation page, with the address of this server. */
function urlWith(change: (parameters: URLSearchParams) => void): string {
  const [text = ""] = /postgres:\/\/continuo@db\/continuo\?[^`]+/u.exec(PAGE) ?? [];
  const url = new URL(text);
  url.host = `localhost:${new URL(postgres.url).port}`;
  url.pathname = "/postgres";
  for (const [name, value] of url.searchParams) if (value === "FILE") url.searchParams.set(name, FILE);
  change(url.searchParams);
  return url.href;
}

test("a server shows Postgres a certificate, and then writes and listens without a password", async () => {
  const url = urlWith(() => undefined);
  await expect
    .poll(async () => {
      try {
        await (await openStore(url)).close();
        return "opened";
      } catch (error) {
        return String(error);
      }
    })
    .toBe("opened");
  await using store = await openStore(url);
  await store.createLog({ logId: "notes" });
  const heard = store.tail("notes", { types: ["custom"] })[Symbol.asyncIterator]();
  await store.append("notes", [{ type: "custom", data: { name: "x" } }]);
  expect((await heard.next()).value).toMatchObject({ data: { name: "x" } });
  await heard.return?.();
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const { rows } = await client.query(
    "select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid) where usename = 'continuo'",
  );
  expect(rows).toEqual([{ ssl: true }]);
  await client.end();
});

test("without the certificate the same user is refused", async () => {
  const url = urlWith((parameters) => {
    parameters.delete("sslcert");
    parameters.delete("sslkey");
  });
  await expect(openStore(url)).rejects.toMatchObject({
    code: expect.stringMatching(/^(?:unavailable|forbidden|unauthorized)$/u),
  });
});
