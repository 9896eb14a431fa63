import { expect, test } from "vitest";
import { AhpConnection } from "./connection.ts";
import type { AhpHost } from "./host.ts";
import { LIMITS } from "./limits.ts";

function open(more: object = {}) {
  const sent: Record<string, unknown>[] = [];
  const host = {
    channelOf: (given: string) => given,
    snapshot: async (resource: string) => () => ({ resource, state: {}, fromSeq: 1 }),
    join: () => undefined,
    leave: () => undefined,
    missedBy: () => [],
    ...more,
  } as unknown as AhpHost;
  const connection = new AhpConnection({
    host,
    version: "1",
    send: (text) => sent.push(JSON.parse(Buffer.from(text).toString())),
    may: () => undefined,
    record: async () => undefined,
    onRefused: () => undefined,
  });
  return { connection, sent };
}

test("a client that asks to reconnect again and again has a bounded number of subscriptions", async () => {
  const { connection, sent } = open();
  const ask = async (id: number): Promise<void> => {
    const subscriptions = Array.from({ length: LIMITS.subscriptions }, (_, at) => `claude:/${id}-${at}`);
    const params = { clientId: "a", lastSeenServerSeq: 0, subscriptions };
    await connection.receive(JSON.stringify({ jsonrpc: "2.0", id, method: "reconnect", params }));
  };
  for (let id = 1; id <= 10; id += 1) await ask(id);
  expect(connection.channels.size).toBe(LIMITS.subscriptions);
  expect(sent.map(({ id, error }) => [id, error !== undefined])).toEqual([
    [1, false],
    ...[2, 3, 4, 5, 6, 7, 8, 9, 10].map((id) => [id, true]),
  ]);
});

test("an answer lists a bounded number of sessions, and its cursor leads to the others", async () => {
  const items = Array.from({ length: LIMITS.listed + 1 }, (_, at) => ({ at }));
  const { connection, sent } = open({ list: async () => items });
  const ask = async (id: number, method: string, params: object): Promise<Record<string, unknown>> => {
    await connection.receive(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return (sent.at(-1) as { readonly result: Record<string, unknown> }).result;
  };
  await ask(1, "reconnect", { clientId: "a", lastSeenServerSeq: 0, subscriptions: [] });
  const first = await ask(2, "listSessions", {});
  expect(first.items).toHaveLength(LIMITS.listed);
  expect(await ask(3, "listSessions", { cursor: first.nextCursor })).toEqual({
    items: [{ at: LIMITS.listed }],
  });
});

test("a client at the limit can reconnect with the same subscriptions", async () => {
  const { connection, sent } = open();
  const subscriptions = Array.from({ length: LIMITS.subscriptions }, (_, at) => `claude:/${at}`);
  for (const id of [1, 2]) {
    const params = { clientId: "a", lastSeenServerSeq: 0, subscriptions };
    await connection.receive(JSON.stringify({ jsonrpc: "2.0", id, method: "reconnect", params }));
  }
  expect(sent.map(({ id, error }) => [id, error])).toEqual([
    [1, undefined],
    [2, undefined],
  ]);
});

test("a connection belongs to one client: a second client id is refused, also at the same time", async () => {
  const joined: string[] = [];
  const { connection, sent } = open({
    join: ({ clientId }: { readonly clientId: string }) => joined.push(clientId),
  });
  const ask = async (id: number, params: object): Promise<void> =>
    await connection.receive(JSON.stringify({ jsonrpc: "2.0", id, method: "reconnect", params }));
  const cursor = { channel: "claude:/2", lastSeenServerSeq: 0 };
  await Promise.all([
    ask(1, { clientId: "a", lastSeenServerSeq: 0, subscriptions: ["claude:/1"] }),
    ask(2, { clientId: "b", lastSeenServerSeq: 0, subscriptions: ["claude:/1", "claude:/3"] }),
  ]);
  await ask(3, { clientId: "b", lastSeenServerSeq: 0, subscriptions: ["claude:/2"] });
  await ask(4, { clientId: "b", subscriptions: [cursor] });
  await ask(5, { clientId: "a", subscriptions: [cursor] });
  expect(sent.map(({ id, error }) => [id, error !== undefined])).toEqual([
    [1, false],
    [2, true],
    [3, true],
    [4, true],
    [5, false],
  ]);
  expect([connection.clientId, joined]).toEqual(["a", ["a", "a"]]);
});
