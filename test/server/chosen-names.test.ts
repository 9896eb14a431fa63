/**
 * Tokens of a backend for customers who chose their own names, also names that mean something in the text of a scope:
 * each customer reaches only what is theirs, on each engine.
 */

import { createAuthenticate, type ServerHandle } from "@continuo/server";
import { type OpenedStore, openStore } from "@continuo/store";
import { startSession } from "@continuo/store/sessions";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";
import { openServer } from "./harness/open-server.ts";

/** Names that a store takes and that look like a beginning, an access or a part of another scope. */
const CUSTOMERS = ["x:write", "x:read,write", "ann:1", "ann:read", "admin", "session:ann"];
const PATTERNS = ["*", "a*", "ann*", "*nn"];

describe.each([
  ["memory", (): string => "memory:"],
  ["postgres", newPostgresDatabase],
] as const)("the engine %s", (_engine, urlOf) => {
  let store: OpenedStore;
  let server: ServerHandle;
  beforeAll(async () => {
    store = await openStore(await urlOf(), { migrate: true });
    server = await openServer(store, { authenticate: createAuthenticate(store) });
    for (const name of ["ann", "x", ...CUSTOMERS]) {
      await startSession(store, { sessionId: `customer:${name}` });
      await startSession(store, { sessionId: `of:${name}:1` });
    }
    await store.createLog({ logId: "channels/team" });
  });
  afterAll(async () => {
    await server.close();
    await store.close();
  });

  const call = async (token: string, path: string, body?: object): Promise<number> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    return (await fetch(`${server.url}/v1${path}`, { headers, ...sent })).status;
  };
  const read = (token: string, sessionId: string): Promise<number> =>
    call(token, `/stream/sessions/${encodeURIComponent(sessionId)}?offset=-1`);
  const write = (token: string, sessionId: string): Promise<number> =>
    call(token, `/stream/sessions/${encodeURIComponent(sessionId)}`, { type: "note", data: {} });
  const speak = (token: string, handle: string): Promise<number> =>
    call(token, "/channels/team/messages", { content: "hello", handle });

  test.each(CUSTOMERS)(
    "a customer with the name %j reads their own sessions, and no others",
    async (name) => {
      const { secret: exact } = await store.createToken({
        scopes: [{ kind: "session", name: `customer:${name}`, access: "read" }],
      });
      const { secret: beginning } = await store.createToken({
        scopes: [{ kind: "session", beginsWith: `of:${name}:`, access: "read" }],
      });
      const all = (await store.listSessions({ limit: 100 })).items.map(({ sessionId }) => sessionId);
      const reached = async (token: string): Promise<readonly string[]> => {
        const statuses = await Promise.all(all.map((sessionId) => read(token, sessionId)));
        return all.filter((_, n) => statuses[n] === 200);
      };
      expect(await reached(exact)).toEqual([`customer:${name}`]);
      expect(await reached(beginning)).toEqual([`of:${name}:1`]);
      // Words in a name give no right: nobody may write.
      expect(await write(exact, `customer:${name}`)).toBe(403);
      expect(await write(exact, "customer:x")).toBe(403);
      expect(await call(exact, "/audit")).toBe(403);
    },
  );

  test.each(PATTERNS)("no token can be made for a customer with the name %j", async (name) => {
    const right = { kind: "session", access: "write" } as const;
    for (const scope of [
      { ...right, name },
      { ...right, name: `customer:${name}` },
      { ...right, beginsWith: name },
      { ...right, beginsWith: `of:${name}:` },
    ]) {
      await expect(store.createToken({ scopes: [scope], handle: "ann" })).rejects.toMatchObject({
        code: "invalid",
        hint: expect.stringContaining("beginsWith"),
      });
    }
    expect((await store.listTokens({ handle: "ann" })).items).toEqual([]);
  });

  test("a participant with the name * gets no token, and other names speak as themselves only", async () => {
    const scopes = [{ kind: "channel", name: "team", access: "write" }] as const;
    await expect(store.createToken({ scopes, handle: "*" })).rejects.toMatchObject({
      code: "invalid",
      hint: expect.stringContaining("anyHandle"),
    });
    for (const handle of ["a*", "ann*", "x:write", "default:team:ann"]) {
      const { secret } = await store.createToken({ scopes, handle });
      expect([handle, await speak(secret, "ann")]).toEqual([handle, 403]);
    }
    const { secret } = await store.createToken({ scopes, anyHandle: true });
    expect([await speak(secret, "ann"), await speak(secret, "bob")]).toEqual([200, 200]);
  });
});
