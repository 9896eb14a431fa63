/** The time for which the provider keeps the context of a session, by the calls that its file records. */

import { expect, test } from "vitest";
import { CLAUDE_ID, claudeFile, claudeText, cleanEnv, createHome } from "../../../../test/cli/home.ts";
import { lookUp } from "./look-up.ts";
import { shippedPrices } from "./prices.ts";
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
function withUsage(text: string): string {
  const usages = [
    {
      input_tokens: 10,
      output_tokens: 20,
      cache_creation_input_tokens: 90_000,
      cache_creation: { ephemeral_1h_input_tokens: 90_000, ephemeral_5m_input_tokens: 0 },
    },
    {
      input_tokens: 10,
      output_tokens: 20,
      cache_read_input_tokens: 90_000,
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

test("after a call that only read the cache, the cache stays warm for the hour of the write before it", async () => {
  using home = createHome();
  const places = { home: home.path, cwd: home.path, env: cleanEnv(home.path) };
  home.write(claudeFile(CLAUDE_ID), withUsage(claudeText(CLAUDE_ID, PROMPTS)));
  const located = await lookUp(`claude:${CLAUDE_ID}`, { places, store: null, examples: "without examples" });
  if (located.kind !== "native") throw new Error("the session is not native");
  const options = {
    places,
    prices: { own: {}, list: shippedPrices() },
    now: new Date("2025-01-05T11:00:00.000Z"),
  };
  expect(await resumePriceOf(located.native.found, options)).toMatchObject({
    tokens: 90_010,
    cache: "warm",
    warmUntil: "2025-01-05T11:20:10.000Z",
  });
});
