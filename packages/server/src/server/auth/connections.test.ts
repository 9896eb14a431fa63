import { expect, test } from "vitest";
import { DEFAULT_LIMITS, type Grant, type Quotas } from "../context/index.ts";
import { createConnections } from "./connections.ts";

function connections(): Pick<Quotas, "connect" | "openConnections"> {
  const watch = () => ({ [Symbol.dispose]: () => undefined });
  return createConnections({ ...DEFAULT_LIMITS, connections: 2, channels: 1, sessionStreams: 1 }, { watch });
}

const TOKEN = { tokenId: "one" } as Grant;
const ignore = (): void => undefined;
const refused = expect.objectContaining({ code: "rate_limited" });

test("a connection that ended no longer counts, however often it is ended", () => {
  const { connect, openConnections } = connections();
  const first = connect(TOKEN, ignore);
  connect(TOKEN, ignore);
  expect(openConnections()).toBe(2);
  expect(() => connect(TOKEN, ignore)).toThrow(refused);
  connect({ ...TOKEN, tokenId: "other" }, ignore);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  expect(openConnections()).toBe(2);
  connect(TOKEN, ignore);
  expect(() => connect(TOKEN, ignore)).toThrow(refused);
  expect(openConnections()).toBe(3);
});

test("a channel counts once for all connections of a token, and no longer after the last one has left", () => {
  const { connect } = connections();
  const [first, second] = [
    connect(TOKEN, ignore, { channel: "a" }),
    connect(TOKEN, ignore, { channel: "a" }),
  ];
  first[Symbol.dispose]();
  expect(() => connect(TOKEN, ignore, { channel: "b" })).toThrow(refused);
  second[Symbol.dispose]();
  connect(TOKEN, ignore, { channel: "b" });
});

test("a stream of a session that was closed makes room for another one, while its token has a connection", () => {
  const { connect } = connections();
  const visitor = { ...TOKEN, scopes: [] };
  connect(visitor, ignore);
  const stream = connect(visitor, ignore, { isStream: true });
  stream[Symbol.dispose]();
  const next = connect(visitor, ignore, { isStream: true });
  expect(() => connect(visitor, ignore, { isStream: true })).toThrow(refused);
  next[Symbol.dispose]();
});

test("connections without a token are counted and not limited", () => {
  const { connect, openConnections } = connections();
  const all = [1, 2, 3].map(() => connect({ ...TOKEN, tokenId: null }, ignore));
  expect(openConnections()).toBe(3);
  for (const one of all) one[Symbol.dispose]();
  expect(openConnections()).toBe(0);
});
