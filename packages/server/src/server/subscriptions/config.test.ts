/** The settings of a subscription: its lease, its wake stream, its pattern, and the hosts of its webhook. */

import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { parseConfig } from "./config.ts";
import { insertSubscription, listSubscriptions, removeSubscription, type Subscription } from "./documents.ts";
import { literalPrefix, matchesPattern } from "./glob.ts";
import { assertWebhookUrl } from "./webhook.ts";

const PULL = { type: "pull-wake", pattern: "jobs/**", wake_stream: "wakes" };

test.each([
  [undefined, 30_000],
  [1_000, 1_000],
  [600_000, 600_000],
  [999, null],
  [600_001, null],
  [1_500.5, null],
  ["5000", null],
])("a lease of %j ms is one of %j ms; null is refused", (given, lease) => {
  const parse = () => parseConfig({ ...PULL, lease_ttl_ms: given }).leaseTtlMs;
  if (lease === null) expect(parse).toThrow(expect.objectContaining({ code: "INVALID_REQUEST" }));
  else expect(parse()).toBe(lease);
});

test.each(["channels/team", "sessions/s1", "", "/"])(
  "wakes are written to a stream of one's own, and not to %j",
  (path) => {
    expect(() => parseConfig({ ...PULL, wake_stream: path })).toThrow(
      expect.objectContaining({ code: "INVALID_REQUEST" }),
    );
  },
);

test.each([
  ["jobs/**", "jobs", true],
  ["jobs/**", "jobs/1/log", true],
  ["**/log", "log", true],
  ["jobs/**/log", "jobs/log", true],
  ["jobs/**/log", "jobs/1/2/log", true],
  ["jobs/**/log", "jobs/1/2", false],
  ["jobs/*", "jobs", false],
  ["jobs/*", "jobs/1/log", false],
  ["jobs", "jobs2", false],
])("the pattern %s and the path %s match: %s", (pattern, path, isMatch) => {
  expect(matchesPattern(pattern, path)).toBe(isMatch);
  if (isMatch) expect(`${path}/`.startsWith(literalPrefix(pattern))).toBe(true);
});

test("the name of a deleted subscription can be used again, and it is no longer listed", async () => {
  await using store = await openStore("memory:");
  const made = { id: "s", config: parseConfig(PULL), createdAt: "now" } as unknown as Subscription;
  const names = async () => (await listSubscriptions(store)).map(({ subscription }) => subscription.id);
  expect([await insertSubscription(store, made), await insertSubscription(store, made)]).toEqual([
    true,
    false,
  ]);
  expect(await names()).toEqual(["s"]);
  await removeSubscription(store, "s");
  expect(await names()).toEqual([]);
  expect([await insertSubscription(store, made), await names()]).toEqual([true, ["s"]]);
});

const PUBLIC = { named: new Set<string>(), others: "public" } as const;

test.each([
  "http://hooks.example/",
  "https://localhost./",
  "https://hooks.localhost./",
  "https://ann:secret@hooks.example/",
  "https://100.64.0.1/",
  "https://100.127.255.254/",
  "https://198.18.0.1/",
  "https://240.0.0.1/",
  "https://[2002:7f00:1::]/",
])("no webhook is sent to %s", (url) => {
  expect(() => assertWebhookUrl(url, PUBLIC)).toThrow(
    expect.objectContaining({ code: "WEBHOOK_URL_REJECTED" }),
  );
});

test.each([
  "https://hooks.example/",
  "https://100.63.255.255/",
  "https://100.128.0.1/",
  "https://[2001:4860::1]/",
])("a webhook may be sent to %s", (url) => expect(() => assertWebhookUrl(url, PUBLIC)).not.toThrow());
