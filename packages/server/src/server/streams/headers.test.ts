import { expect, test } from "vitest";
import type { Grant, ServerContext } from "../context/index.ts";
import { requireAccess } from "./call.ts";
import { forkOf, lifeOf, producerOf } from "./headers.ts";

const PRODUCER = { "producer-id": "p", "producer-epoch": "1", "producer-seq": "7" };

test("the three headers of a producer are one producer, and each of them without the others is invalid", () => {
  expect(producerOf(new Headers())).toBeUndefined();
  expect(producerOf(new Headers(PRODUCER))).toEqual({
    type: "producer",
    producerId: "p",
    epoch: 1,
    sequence: 7,
  });
  for (const name of Object.keys(PRODUCER)) {
    const others = Object.entries(PRODUCER).filter(([one]) => one !== name);
    const only = Object.entries(PRODUCER).filter(([one]) => one === name);
    for (const headers of [others, only]) {
      expect(() => producerOf(new Headers(headers))).toThrow("belong together");
    }
  }
});

test.each<[string, Readonly<Record<string, string>>, string]>([
  [
    "a time to live and an end",
    { "stream-ttl": "5", "stream-expires-at": "2026-01-31T12:00:00Z" },
    "exclude",
  ],
  ["a time to live of nothing", { "stream-ttl": "0" }, "above 0"],
  ["an end that is only a day", { "stream-expires-at": "2026-01-31" }, "is not a time"],
])("%s is refused as the life of a stream", (_, headers, message) => {
  expect(() => lifeOf(new Headers(headers))).toThrow(message);
});

test.each<[string, Readonly<Record<string, string>>]>([
  ["an offset", { "stream-fork-offset": "0_1" }],
  ["a sub-offset", { "stream-fork-sub-offset": "1" }],
])("%s of a fork without its source is refused", (_, headers) => {
  expect(() => forkOf(new Headers(headers))).toThrow("requires Stream-Forked-From");
});

test("the log of a session is closed to a person of a program, for reading and for writing", () => {
  const needs: unknown[] = [];
  const context = { require: (_: Grant, need: unknown) => needs.push(need) } as unknown as ServerContext;
  const hidden = { logs: "hidden" } as unknown as Grant;
  const session = { kind: "session", name: "s1", logId: "s1" } as const;
  for (const access of ["read", "write"] as const) {
    expect(() => requireAccess(context, hidden, session, access)).toThrow(
      expect.objectContaining({ code: "forbidden" }),
    );
    requireAccess(context, { logs: "shown" } as unknown as Grant, session, access);
    requireAccess(context, hidden, { kind: "channel", name: "team", logId: "channels/team" }, access);
  }
  expect(needs).toHaveLength(6);
});
