/** The time for which the provider keeps the context of a session, by the calls that its file records. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  CLAUDE_ID,
  CODEX_ID,
  claudeFile,
  claudeText,
  cleanEnv,
  createHome,
  type Home,
  writeSessions,
} from "../../../../test/cli/home.ts";
import { lookUp } from "./look-up.ts";
import { type Prices, shippedPrices } from "./prices.ts";
import { resumePriceOf } from "./resume-price.ts";

const PROMPTS = [
  { uuid: "u1", parent: null, role: "user", content: "Fix the build", time: "10:00:00" },
  {
    uuid: "a1",
    parent: "u1",
    role: "assistant",
    content: [{ type: "text", text: "Fixed." }],
    time: "10:00:10",
  },
  { uuid: "u2", parent: "a1", role: "user", content: "Is it green?", time: "10:20:00" },
  {
    uuid: "a2",
    parent: "u2",
    role: "assistant",
    content: [{ type: "text", text: "Yes." }],
    time: "10:20:10",
  },
] as const;

/** The first call writes its context for an hour, and the second one only reads it. */
function withUsage(text: string, written: number): string {
  const usages = [
    {
      input_tokens: 10,
      output_tokens: 20,
      cache_creation_input_tokens: written,
      cache_creation: { ephemeral_1h_input_tokens: written, ephemeral_5m_input_tokens: 0 },
    },
    {
      input_tokens: 10,
      output_tokens: 20,
      cache_read_input_tokens: written,
      cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
    },
  ];
  const records = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  for (const { type, message } of records) {
    if (type !== "assistant") continue;
    message.model = "claude-opus-4-5";
    message.usage = usages.shift();
  }
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

const PRICE = { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25, cacheWriteHour: 10 };

async function priceAt(
  home: Home,
  name: string,
  time: string,
  price: object = PRICE,
): Promise<Awaited<ReturnType<typeof resumePriceOf>>> {
  const places = { home: home.path, cwd: home.path, env: cleanEnv(home.path) };
  const located = await lookUp(name, { places, store: null, examples: "without examples" });
  if (located.kind !== "native") throw new Error("the session is not native");
  const own = { "claude-opus-4-5": price, "other-model": price } as Prices["own"];
  const prices = { own, list: shippedPrices() };
  return await resumePriceOf(located.native.found, { places, prices, now: new Date(time) });
}

test.each<[string, string, number, object]>([
  [
    "within the hour of the write before it",
    "11:20:09",
    90_000,
    { cache: "warm", usd: 0.045_005, lean: null },
  ],
  [
    "after that hour",
    "11:20:11",
    90_000,
    { cache: "cold", usd: 0.900_1, lean: { tokens: 30_000, usd: 0.3 } },
  ],
  ["after that hour, in a short session", "11:20:11", 50_000, { cache: "cold", usd: 0.500_1, lean: null }],
])(
  "the next call after one that only read the cache has its price: %s",
  async (_, time, written, expected) => {
    using home = createHome();
    home.write(claudeFile(CLAUDE_ID), withUsage(claudeText(CLAUDE_ID, PROMPTS), written));
    const price = await priceAt(home, `claude:${CLAUDE_ID}`, `2025-01-05T${time}.000Z`);
    expect(price).toEqual({
      tokens: written + 10,
      model: "claude-opus-4-5",
      warmUntil: "2025-01-05T11:20:10.000Z",
      ...expected,
    });
  },
);

test("a cache of Codex, whose file does not say how long it lasts, is warm for half an hour", async () => {
  using home = createHome();
  writeSessions(home);
  const file = `.codex/sessions/2025/01/06/rollout-2025-01-06T08-00-00-${CODEX_ID}.jsonl`;
  const at = "2025-01-06T08:00:04.000Z";
  const usage = { input_tokens: 1_000, cached_input_tokens: 0, output_tokens: 5, total_tokens: 1_005 };
  const payload = { thread_id: CODEX_ID, turn_id: "t1", response_id: "resp_1", usage };
  const [head = "", ...rest] = readFileSync(join(home.path, file), "utf8").trimEnd().split("\n");
  const context = { timestamp: at, type: "turn_context", payload: { model: "gpt-5.1-codex" } };
  const counted = { timestamp: at, type: "token_usage_record", payload };
  home.write(file, [head, JSON.stringify(context), ...rest, JSON.stringify(counted), ""].join("\n"));
  expect(await priceAt(home, `codex:${CODEX_ID}`, "2025-01-06T08:29:00.000Z")).toMatchObject({
    tokens: 1_000,
    cache: "warm",
    warmUntil: expect.stringMatching(/^2025-01-06T08:30:0[34]/u),
  });
});

interface RecordedCall {
  readonly model: string;
  readonly usage: object;
}

/** The price, at a time after the calls at 10:00:10 and 10:20:10, of a session with these two calls. */
async function priceOfCalls(
  calls: readonly [RecordedCall, RecordedCall],
  time: string,
  price: object = PRICE,
) {
  using home = createHome();
  const records = claudeText(CLAUDE_ID, PROMPTS)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const left = [...calls];
  for (const { type, message } of records) if (type === "assistant") Object.assign(message, left.shift());
  home.write(claudeFile(CLAUDE_ID), records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  return await priceAt(home, `claude:${CLAUDE_ID}`, `2025-01-05T${time}.000Z`, price);
}

const used = (tokens: number, more: object = {}): object => ({
  input_tokens: tokens,
  output_tokens: 20,
  ...more,
});
const writes = (hour: number, minutes: number): object => ({
  cache_creation_input_tokens: hour + minutes,
  cache_creation: { ephemeral_1h_input_tokens: hour, ephemeral_5m_input_tokens: minutes },
});

test("a session whose cache is still there, or not known, is priced by the state of the cache", async () => {
  const other = { model: "claude-opus-4-5", usage: used(1) };
  // It is not known how long another provider keeps the context: the next call is priced as one without a cache.
  const unknown = { model: "other-model", usage: used(90_000) };
  expect(await priceOfCalls([other, unknown], "10:20:11")).toEqual({
    tokens: 90_000,
    model: "other-model",
    cache: "unknown",
    warmUntil: null,
    usd: 0.5625,
    lean: { tokens: 30_000, usd: 0.1875 },
  });
  const five = { model: "claude-opus-4-5", usage: used(0, writes(0, 90_000)) };
  const hour = { model: "claude-opus-4-5", usage: used(0, writes(90_000, 0)) };
  const warm = { tokens: 90_000, model: "claude-opus-4-5", cache: "warm", usd: 0.045, lean: null };
  expect(await priceOfCalls([other, hour], "11:20:09")).toMatchObject(warm);
  // The newest write counts.
  const warmUntil = "2025-01-05T10:25:10.000Z";
  expect(await priceOfCalls([hour, five], "10:25:09")).toEqual({ ...warm, warmUntil });
  expect(await priceOfCalls([hour, five], "10:25:11")).toMatchObject({ cache: "cold", usd: 0.5625 });
});

test("a price that a table lacks is the next one that it has, and a call without tokens is not the last one", async () => {
  const call = { model: "claude-opus-4-5", usage: used(0, writes(90_000, 0)) };
  const empty = { model: "claude-haiku-4-5", usage: { input_tokens: 0, output_tokens: 20 } };
  const usdAt = async (time: string, price: object): Promise<unknown> =>
    (await priceOfCalls([call, empty], time, price))?.usd;
  expect(await usdAt("10:59:00", { input: 5, output: 25 })).toBeCloseTo(0.45);
  expect(await usdAt("12:00:00", { input: 5, output: 25 })).toBeCloseTo(0.45);
  expect(await usdAt("12:00:00", { input: 5, output: 25, cacheWrite: 6 })).toBeCloseTo(0.54);
  expect(await priceOfCalls([empty, empty], "12:00:00")).toBeNull();
});
