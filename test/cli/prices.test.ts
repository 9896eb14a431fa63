/** Periods, charts and prices in `stats`, and the price of a session before it is resumed. */

import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { claudeFile, claudeText, createHome, type Home } from "./home.ts";
import { runHere } from "./in-process.ts";

const ROOT = join(import.meta.dirname, "../..");
let home: Home;
beforeEach(() => {
  home = createHome();
});

/** A question and an answer of 1,000 input tokens. @param at as ISO 8601 to the minute */
function call(letter: string, at: string, usage: object = {}, model = "claude-haiku-4-5"): void {
  const id = `${letter.repeat(8)}-0000-4000-8000-000000000000`;
  const text = claudeText(id, [
    { uuid: `${letter}1`, parent: null, role: "user", content: `Ask ${letter}`, time: "10:00:00" },
    {
      uuid: `${letter}2`,
      parent: `${letter}1`,
      role: "assistant",
      content: [{ type: "text", text: "Yes." }],
      time: "10:00:01",
    },
  ]);
  const told = { input_tokens: 1000, output_tokens: 20, ...usage };
  home.write(
    claudeFile(id),
    text
      .replaceAll("/home/ann/app", home.path)
      .replaceAll(/2025-01-05T10:00/gu, at)
      .replace("model-a", model)
      .replace(/msg_1/u, `msg_${letter}`)
      .replace('{"input_tokens":1000,"output_tokens":20}', JSON.stringify(told)),
  );
}

async function groups(...args: readonly string[]): Promise<readonly (readonly unknown[])[]> {
  const { stdout, stderr } = await runHere(home, ["stats", "--json", ...args]);
  expect(stderr).toBe("");
  const all = JSON.parse(stdout).groups as readonly Record<string, unknown>[];
  return all.map((group) =>
    [group[args[1] ?? ""], group.title, group.sessions].filter((one) => one !== undefined),
  );
}

test("stats counts by week from Monday, by month, by session and by blocks of five hours", async () => {
  call("a", "2025-01-05T23:10");
  call("b", "2025-01-06T03:50");
  call("c", "2025-01-06T04:10");
  call("d", "2025-02-01T00:00");
  expect(await groups("--by", "week")).toEqual([
    ["2024-12-30", 1],
    ["2025-01-06", 2],
    ["2025-01-27", 1],
  ]);
  expect(await groups("--by", "month")).toEqual([
    ["2025-01", 3],
    ["2025-02", 1],
  ]);
  expect(await groups("--by", "block")).toEqual([
    ["2025-01-05T23", 2],
    ["2025-01-06T04", 1],
    ["2025-02-01T00", 1],
  ]);
  expect(await groups("--by", "session", "--limit", "1")).toEqual([
    ["claude:aaaaaaaa-0000-4000-8000-000000000000", "Ask a", 1],
  ]);
  expect(await groups("--by", "agent", "--agent", "codex")).toEqual([]);
  const now = new Date("2025-01-06T07:00:00Z");
  expect((await runHere(home, ["stats", "--by", "block"], { now })).stdout).toContain(
    "2025-01-06 04:00, 2h 0m left",
  );
});

test("the kinds with the most tokens have a column at any width, and small ones are left out first", async () => {
  call("a", "2025-01-05T23:10", { cache_read_input_tokens: 123_456_789, cache_creation_input_tokens: 30 });
  for (const columns of [80, 50]) {
    const { stdout } = await runHere(home, ["stats"], { columns });
    expect(stdout).toContain("cache read");
    expect(stdout).toContain("123,456,789");
    expect(stdout.split("\n").filter((line) => line.length > columns && !line.startsWith("Cost"))).toEqual(
      [],
    );
  }
  expect((await runHere(home, ["stats"], { columns: 50 })).stdout).not.toContain("cache write");
});

test("--chart draws a bar for the cost of each day, and the longest one fills the width", async () => {
  call("a", "2025-01-05T10:00");
  call("b", "2025-01-06T10:00", { input_tokens: 2040 });
  const { stdout } = await runHere(home, ["stats", "--chart"], { columns: 50 });
  const [small = "", large = ""] = stdout.split("\n");
  expect(small).toMatch(/^2025-01-05 {2}\$0\.0011 {2}█+[▏▎▍▌▋▊▉]?$/u);
  expect(large.length).toBe(50);
  expect(small.length).toBeLessThan(40);
});

const TABLE = JSON.stringify({
  sample_spec: { mode: "chat" },
  "claude-haiku-4-5-20251001": {
    input_cost_per_token: 2e-6,
    output_cost_per_token: 1e-5,
    cache_read_input_token_cost: 2e-7,
  },
  "model-x": { input_cost_per_token: 3e-6, output_cost_per_token: 0 },
});

test("--update-prices takes a table of LiteLLM from a file, which is used as long as it is newer", async () => {
  call("a", "2025-01-05T10:00", { output_tokens: 0 });
  call("b", "2025-01-05T10:00", { output_tokens: 0 }, "model-x");
  home.write("table.json", TABLE);
  const { code, stdout } = await runHere(home, ["stats", "--update-prices", "table.json"]);
  const today = new Date().toISOString().slice(0, 10);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: `2 models with prices of ${today}, from table.json\n`,
  });
  const { total, prices } = JSON.parse((await runHere(home, ["stats", "--json"])).stdout);
  expect(total.costUsd).toBeCloseTo(0.002 + 0.003, 9);
  expect(prices).toEqual({ asOf: today, sources: ["table.json"] });
  expect((await runHere(home, ["info", "aaaaaaaa"])).stdout).toContain(`by list prices of ${today}`);
  for (const [file, text] of [
    ["no.json", "[]"],
    ["bad.json", "{"],
  ] as const) {
    home.write(file, text);
    expect((await runHere(home, ["stats", "--update-prices", file])).code).toBe(2);
  }
  expect((await runHere(home, ["stats", "--update-prices", "gone.json"])).code).toBe(3);
  execFileSync("touch", ["-d", "2020-01-01", join(home.path, "table.json")]);
  await runHere(home, ["stats", "--update-prices", "table.json"]);
  expect(JSON.parse((await runHere(home, ["stats", "--json"])).stdout).prices.sources[0]).toMatch(/^https:/u);
});

test("--update-prices takes the table from an address, with the date that the server sends, and from other machines only over TLS", async () => {
  const server = createServer((_, answer) => {
    answer.writeHead(200, { "last-modified": "Sat, 01 Jan 2028 00:00:00 GMT" }).end(TABLE);
  }).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/prices.json`;
  const { stdout } = await runHere(home, ["stats", "--update-prices", address]);
  server.close();
  expect(stdout).toBe(`2 models with prices of 2028-01-01, from ${address}\n`);
  expect((await runHere(home, ["stats", "--update-prices", "http://192.0.2.1/x"])).stderr).toContain(
    "is not https",
  );
  const gone = await runHere(home, ["stats", "--update-prices", address]);
  expect(gone.stderr).toContain(`cannot take prices from ${address}: `);
});

test("--update-prices follows only a few redirects, and only to addresses that are allowed themselves", async () => {
  const places: Record<string, string> = {
    "/near": "/table",
    "/far": "http://192.0.2.1/far",
    "/round": "/round",
  };
  const server = createServer(({ url = "" }, answer) => {
    const location = places[url];
    if (location === undefined) answer.end(TABLE);
    else answer.writeHead(302, { location }).end();
  });
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const take = (path: string) => runHere(home, ["stats", "--update-prices", `${address}${path}`]);
  expect((await take("/near")).stdout).toContain("2 models");
  expect((await take("/far")).stderr).toContain("192.0.2.1/far: the address is not https");
  expect((await take("/round")).stderr).toContain("it redirects too often");
  server.close();
  expect((await runHere(home, ["stats", "--update-prices", "https:"])).stderr).toContain(
    "it is not an address",
  );
});

test("a table with names and prices of any kind changes nothing else, and a large one counts like a small one", async () => {
  call("a", "2025-01-05T10:00", { output_tokens: 0 }, "__proto__");
  const cost = { input_cost_per_token: 1e-6, output_cost_per_token: 0 };
  const odd = ["", "two words", "a|b", "1"].map((name) => `${JSON.stringify(name)}:${JSON.stringify(cost)}`);
  const many = Array.from(
    { length: 30_000 },
    (_, at) => `"a-model-with-a-long-name-${at}":${JSON.stringify(cost)}`,
  );
  const bad = ['"1e400"', "1e400", "-1", "null", "{}"].map(
    (amount, at) => `"bad-${at}":{"input_cost_per_token":${amount},"output_cost_per_token":1}`,
  );
  home.write("table.json", `{${[...odd, ...bad, ...many, `"__proto__":${JSON.stringify(cost)}`].join(",")}}`);
  const { stdout } = await runHere(home, ["stats", "--update-prices", "table.json"]);
  expect(stdout).toContain("30,002 models");
  const { total, prices } = JSON.parse((await runHere(home, ["stats", "--json"])).stdout);
  expect(total.costUsd).toBeCloseTo(0.001, 9);
  expect(prices.sources).toEqual(["table.json"]);
});

test("the list prices are those of the package that they are taken from", () => {
  execFileSync(process.execPath, [join(ROOT, "scripts/prices.ts"), "--check"]);
});

test("statusline prints one line with the data of Claude Code and the usage of sessions, and never fails", async () => {
  call("a", "2026-11-26T10:00", { cache_creation_input_tokens: 9_000 }, "claude-opus-5-5");
  const stdin = JSON.stringify({
    session_id: "aaaaaaaa-0000-4000-8000-000000000000",
    model: { id: "claude-opus-5-5", display_name: "Opus\u001b[2J 5.5" },
    cost: { total_cost_usd: 1.234 },
    context_window: { used_percentage: 44.6 },
  });
  const line = async (input: string, now: string): Promise<string> => {
    const { code, stdout, stderr } = await runHere(home, ["statusline"], {
      stdin: input,
      now: new Date(now),
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout;
  };
  expect(await line(stdin, "2026-11-26T10:02:00Z")).toBe(
    "Opus␛[2J 5.5 · $1.23 session · 45 % of the context · $0.05 today · $0.05 in this block, 4h 58m left · cache warm for 4m\n",
  );
  call("b", "2026-11-26T10:01", { cache_creation_input_tokens: 100_000 }, "claude-opus-5-5");
  expect(await line(stdin, "2026-11-26T10:02:30Z")).toContain("$0.05 today");
  expect(await line(stdin, "2026-11-26T10:30:00Z")).toContain("$0.55 today");
  expect(await line("{", "2026-11-26T10:30:00Z")).toBe("$0.55 today · $0.55 in this block, 4h 30m left\n");
});

test("statusline leaves out values that it cannot count because of mistakes in the settings or sums in another form", async () => {
  call("a", "2026-11-26T10:00", {}, "claude-opus-5-5");
  const now = new Date("2026-11-26T10:02:00Z");
  const line = () => runHere(home, ["statusline"], { stdin: '{"model":{"id":"m"}}', now });
  for (const sums of ["[]", "{", "{}", '{"block":3}', '{"todayUsd":"1"}', '{"block":{"begin":4}}']) {
    const text = sums.replace("{", `{"at":${now.getTime()}${sums.length > 2 ? "," : ""}`);
    home.write(".continuo/cache/statusline.json", text);
    expect(await line()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^m( ·.*)?\n$/u),
      stderr: "",
    });
  }
  home.write(".continuo/cache/statusline.json", "{}");
  home.write(".continuo/continuo.yaml", "prices: [");
  expect(await line()).toEqual({ code: 0, stdout: "m\n", stderr: "" });
});

const resume = async (now: string): Promise<readonly string[]> =>
  (await runHere(home, ["resume", "last:claude", "--print"], { now: new Date(now) })).stderr.split("\n");

test("resume first prints its price: warm for the time in the agent's record, then cold, with a cheaper way", async () => {
  const usage = { input_tokens: 20, cache_read_input_tokens: 150_000, cache_creation_input_tokens: 49_980 };
  const hour = { cache_creation: { ephemeral_1h_input_tokens: 49_980, ephemeral_5m_input_tokens: 0 } };
  call("a", "2026-11-26T10:00", { ...usage, ...hour }, "claude-opus-5-5");
  expect(await resume("2026-11-26T10:59:00Z")).toEqual([
    "warm until 2026-11-26 11:00 · 200,000 tokens · about $0.04 by list prices of 2026-09-23",
    "",
  ]);
  expect(await resume("2026-11-26T11:01:00Z")).toEqual([
    "cold · 200,000 tokens · about $1.60 by list prices of 2026-09-23",
    "lean: about 30,000 tokens, $0.24, with only the newest messages: `continuo handoff claude:aaaaaaaa-0000-4000-8000-000000000000 --to claude --max-tokens 30000`",
    "",
  ]);
});

test("info shows the price of the next prompt, for a person and as JSON", async () => {
  call("a", "2026-11-26T10:00", { cache_creation_input_tokens: 99_000 }, "claude-opus-5-5");
  const now = new Date("2026-11-26T10:30:00Z");
  const { stdout } = await runHere(home, ["info", "aaaaaaaa", "--json"], { now });
  expect(JSON.parse(stdout).nextPrompt).toEqual({
    tokens: 100_000,
    model: "claude-opus-5-5",
    cache: "cold",
    warmUntil: "2026-11-26T10:05:01.000Z",
    usd: 0.5,
    lean: { tokens: 30_000, usd: 0.15 },
  });
  expect((await runHere(home, ["info", "aaaaaaaa"], { now })).stdout).toMatch(
    /^resume +cold · 100,000 tokens · about \$0\.50$/mu,
  );
});

test("a cache entry of five minutes is cold after that time, and a model without a price shows only tokens", async () => {
  const minutes = { cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 7 } };
  call("a", "2026-11-26T10:00", { cache_creation_input_tokens: 7, ...minutes }, "model-x");
  expect(await resume("2026-11-26T10:06:00Z")).toEqual(["cold · 1,007 tokens · no price for model-x", ""]);
});

test("stats counts tokens that are cached for an hour at the price for an hour", async () => {
  const usage = { cache_creation_input_tokens: 1_500_000 };
  const hour = {
    cache_creation: { ephemeral_1h_input_tokens: 1_000_000, ephemeral_5m_input_tokens: 500_000 },
  };
  call("a", "2026-11-26T10:00", { ...usage, ...hour }, "claude-sonnet-4-5");
  call("b", "2026-11-26T10:00", usage, "claude-sonnet-4-5");
  const { stdout } = await runHere(home, ["stats", "--json"]);
  const call1 = (1_000 * 3 + 20 * 15 + 1_000_000 * 6 + 500_000 * 3.75) / 1_000_000;
  const call2 = (1_000 * 3 + 20 * 15 + 1_500_000 * 3.75) / 1_000_000;
  expect(JSON.parse(stdout).total.costUsd).toBeCloseTo(call1 + call2, 6);
});

test("chat --resume prints the price of the next prompt in one line, even if the agent then does not start", async () => {
  call("a", "2026-11-26T10:00", { cache_creation_input_tokens: 99_000 }, "claude-opus-5-5");
  const { stdout, stderr } = await runHere(home, ["chat", "--resume", "last:claude", "go on"], {
    now: new Date("2026-11-26T10:30:00Z"),
    env: { PATH: "" },
  });
  const lines = stderr.split("\n").filter((line) => line.includes("tokens"));
  expect({ stdout, lines }).toEqual({
    stdout: "",
    lines: [
      expect.stringContaining("cold · 100,000 tokens · about $0.50 by list prices of 2026-09-23"),
      expect.stringContaining("lean: about 30,000 tokens, $0.15"),
    ],
  });
});
