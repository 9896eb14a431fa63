/** Names that look like parts of an SQL statement, stored and read on each engine: they are only names. */

import type { Store } from "@continuo/core/model";
import { createAuthenticate, type ServerHandle } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";
import { openServer } from "./harness/open-server.ts";

const NAMES = [
  "'; DROP TABLE logs; --",
  "' OR '1'='1",
  '" OR ""="',
  "') UNION SELECT secret_hash FROM tokens --",
  "\\'; DELETE FROM events; --",
  "$1",
  "?",
  "%",
  "n_me",
  "name",
];

describe.each([
  ["memory", (): string => "memory:"],
  ["postgres", newPostgresDatabase],
] as const)("the engine %s", (engine, urlOf) => {
  let store: Store;
  let server: ServerHandle;
  let token: string;
  beforeAll(async () => {
    store = await openStore(await urlOf(), { migrate: true });
    server = await openServer(store, { authenticate: createAuthenticate(store) });
    token = (await store.createToken({ scopes: ["admin"] })).secret;
  });
  afterAll(async () => {
    await server.close();
    await store.close();
  });

  const call = (path: string, method = "GET", body?: unknown): Promise<Response> =>
    fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const pathOf = (kind: string, name: string): string => `/v1/stream/${kind}/${encodeURIComponent(name)}`;

  test("a stream, a session and a message keep such names, and each name finds only its own object", async () => {
    for (const name of NAMES) {
      for (const kind of ["own", "sessions"]) {
        const made = await call(pathOf(kind, name), "PUT");
        expect([kind, name, made.status]).toEqual([kind, name, 201]);
      }
      expect((await call(pathOf("own", name), "POST", [{ name }])).status).toBe(204);
    }
    for (const name of NAMES) {
      expect(await (await call(`${pathOf("own", name)}?offset=-1`)).json()).toEqual([{ name }]);
    }
    const { items } = await store.listLogs({ limit: 1_000 });
    const ids = items.map(({ logId }) => logId).filter((logId) => logId.includes("own/"));
    expect(ids).toHaveLength(NAMES.length);
    // A name that was only read does not exist, whatever it looks like.
    for (const name of NAMES) {
      expect((await call(pathOf("own", `${name}' OR 1=1 --`))).status).toBe(404);
    }
  });

  test("a channel and its messages keep such names", async () => {
    for (const name of NAMES) {
      const path = `/v1/channels/${encodeURIComponent(name)}`;
      expect([name, (await call(pathOf("channels", name), "PUT")).status]).toEqual([name, 201]);
      const said = { type: "message_sent", data: { content: name } };
      expect((await call(pathOf("channels", name), "POST", { ...said, id: `id-${name}` })).status).toBe(204);
      const { messages } = (await (await call(`${path}/messages`)).json()) as {
        readonly messages: readonly unknown[];
      };
      expect(JSON.stringify(messages)).toContain(JSON.stringify(name));
      expect(messages).toHaveLength(1);
    }
    const { channels } = (await (await call("/v1/channels?limit=100")).json()) as {
      readonly channels: readonly { readonly channel: string }[];
    };
    expect(channels.map(({ channel }) => channel).toSorted()).toEqual(NAMES.toSorted());
  });

  test("tokens, workspaces, claims and the audit log keep such names, and each name finds only its own object", async () => {
    for (const name of NAMES) {
      const { tokenId, secret } = await store.createToken({ scopes: ["metrics"], handle: name, label: name });
      expect(await store.authenticate(secret)).toMatchObject({ tokenId, handle: name, label: name });
      await store.putClaim({ name, generation: 1, owner: name, status: name, data: { name } });
      await store.recordAudit({ what: "log_deleted", target: name });
      await store.forWorkspace(name).createLog({ logId: name });
    }
    for (const name of NAMES) {
      expect(await store.getClaim(name)).toMatchObject({ name, owner: name, status: name, data: { name } });
      expect((await store.forWorkspace(name).listLogs()).items).toMatchObject([{ logId: name }]);
      const asked = `/v1/audit?who=${encodeURIComponent(name)}&limit=1000`;
      const { entries } = (await (await call(asked)).json()) as { readonly entries: readonly unknown[] };
      expect([name, entries]).toEqual([name, []]);
    }
    expect(await store.getClaim("nothing' OR '1'='1")).toBeNull();
    expect(await store.authenticate("continuo_' OR '1'='1")).toBeNull();
    const entries = (await store.listAudit({ what: "log_deleted", limit: 1_000 })).items;
    expect(entries.map(({ target }) => target).toSorted()).toEqual(NAMES.toSorted());
    expect((await store.info()).engine).toBe(engine);
  });
});
