/** The rights in Postgres that docs/server.md grants to the user of servers are sufficient, and allow nothing else. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@continuo/store";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { storeContract } from "../../packages/store/src/testing/index.ts";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";

const PAGE = readFileSync(join(import.meta.dirname, "../../docs/server.md"), "utf8");

let owner: string;
let url: string;
let role: string;
beforeAll(async () => {
  owner = await newPostgresDatabase();
  await (await openStore(owner, { migrate: true })).close();
  const database = new URL(owner).pathname.slice(1);
  role = `server_of_${database}`;
  const [, granted = ""] = /\n```sql\n(CREATE ROLE [\s\S]*?)```/u.exec(PAGE) ?? [];
  const statements = granted.replace("DATABASE continuo", `DATABASE ${database}`);
  await asOwner(statements.replaceAll("TO continuo", `TO ${role}`).replace("ROLE continuo", `ROLE ${role}`));
  // A distant time zone, which must not affect any time.
  await asOwner(`alter role ${role} set timezone = 'Pacific/Kiritimati'`);
  const server = new URL(owner);
  server.username = role;
  url = server.href;
});
afterAll(async () => {
  await asOwner(`drop owned by ${role}`);
  await asOwner(`drop role ${role}`);
});

async function asOwner(statements: string): Promise<void> {
  await using client = await connected(owner);
  await client.query(statements);
}

async function connected(to: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: to });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

describe("with the rights of a server", () => {
  for (const { group, name, run } of storeContract(({ workspaceId }) => openStore(url, { workspaceId }))) {
    test(`${group}: ${name}`, run);
  }
});

test("the user of a server can change no table, no role and no entry of the audit log, and reads no other data", async () => {
  await using store = await openStore(url);
  await store.recordAudit({ what: "server_started", target: "http://here", details: {} });
  const { items } = await store.listAudit({ what: "server_started" });
  expect(items[0]?.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u);
  await using client = await connected(url);
  const forbidden = [
    "create table mine (n int)",
    "alter table events add column more text",
    "drop table events",
    "truncate events",
    "drop trigger audit_append_only on audit",
    "create role another",
    "select rolpassword from pg_authid",
    "select pg_read_file('/etc/passwd')",
    "copy events to program 'cat'",
    "create extension pageinspect",
  ];
  for (const statement of forbidden) {
    await expect(client.query(statement), statement).rejects.toMatchObject({ code: "42501" });
  }
  await expect(client.query("update audit set target = 'x'")).rejects.toThrow();
});
