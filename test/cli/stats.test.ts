/** `stats` and the cost in `session info`. */

import { tokensOf, usageOf } from "@continuo/agents/catalog";
import { findNativeSessions, openNativeSession } from "@continuo/native";
import { beforeEach, expect, test } from "vitest";
import { copyEveryCase } from "../search/every-case.ts";
import { CLAUDE_ID, claudeFile, claudeText, createHome, type Home } from "./home.ts";
import { runHere } from "./in-process.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
});

/** Writes a prompt and an answer with a million tokens of input; the ids of the messages contain `name`. */
function exchange(name: string, model: string, day: string): string {
  const text = claudeText(CLAUDE_ID, [
    { uuid: `${name}1`, parent: null, role: "user", content: `Ask ${name}`, time: "10:00:00" },
    {
      uuid: `${name}2`,
      parent: `${name}1`,
      role: "assistant",
      content: [{ type: "text", text: "Yes." }],
      time: "10:00:01",
    },
  ]);
  return text
    .replaceAll("2025-01-05", day)
    .replace("model-a", model)
    .replace("msg_1", `msg_${name}`)
    .replace('"input_tokens":1000', '"input_tokens":1000000');
}

async function stats(...args: readonly string[]): Promise<Record<string, unknown>[] & { total: object }> {
  const { stdout, stderr, code } = await runHere(home, ["stats", "--json", ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const { groups, total } = JSON.parse(stdout);
  return Object.assign(groups, { total });
}

function writeAll(): void {
  home.write(
    claudeFile(CLAUDE_ID),
    exchange("a", "claude-haiku-4-5", "2025-01-05") + exchange("b", "model-x", "2025-01-07"),
  );
  const subagent = exchange("s", "claude-haiku-4-5", "2025-01-07").replaceAll(
    '"isSidechain":false',
    '"isSidechain":true',
  );
  home.write(claudeFile(`${CLAUDE_ID}/subagents/agent-1`), subagent);
}

test("sessions, turns, tokens and cost are counted by day, agent, project and model, each call once", async () => {
  writeAll();
  const byDay = await stats();
  expect(
    byDay.map(({ day, sessions, turns, costUsd, unpriced }) => [day, sessions, turns, costUsd, unpriced]),
  ).toEqual([
    ["2025-01-05", 1, 1, 1.0001, []],
    ["2025-01-07", 1, 1, 1.0001, ["model-x"]],
  ]);
  expect(byDay.total).toMatchObject({
    sessions: 1,
    turns: 2,
    tokens: { input: 3_000_000, output: 60 },
    costUsd: 2.0002,
  });
  expect([...(await stats("--by", "model"))]).toMatchObject([
    { model: "claude-haiku-4-5", sessions: 1, turns: 1, tokens: { input: 2_000_000 } },
    { model: "model-x", sessions: 1, turns: 1, costUsd: null, unpriced: ["model-x"] },
  ]);
  expect([...(await stats("--by", "project"))]).toMatchObject([{ project: "/home/ann/app", turns: 2 }]);
  expect([...(await stats("--by", "agent", "--since", "2025-01-06"))]).toMatchObject([
    { agent: "claude", sessions: 1, turns: 1, tokens: { input: 2_000_000 } },
  ]);
  const { stdout } = await runHere(home, ["stats"]);
  expect(stdout).toContain("≥ $2.00");
  expect(stdout).toContain("Not in the cost, because they have no price: model-x");
  // The stored result is valid only for one state of the file.
  home.write(claudeFile(CLAUDE_ID), exchange("a", "claude-haiku-4-5", "2025-01-05"));
  expect((await stats()).total).toMatchObject({ turns: 1, tokens: { input: 2_000_000 }, unpriced: [] });
});

test("an agent whose sessions are not counted is refused, and its letter case does not matter", async () => {
  writeAll();
  const refused = await runHere(home, ["stats", "--agent", "claude", "--agent", "claud"]);
  expect([refused.code, refused.stdout]).toEqual([2, ""]);
  expect(refused.stderr).toMatch(/stats counts no sessions of "claud".*Name one of claude, /su);
  expect((await stats("--agent", "Claude")).total).toMatchObject({ turns: 2 });
  expect((await stats("--agent", "codex")).total).toMatchObject({ turns: 0 });
});

test("continuo.yaml in CONTINUO_HOME sets prices, for `stats` and `session info`, and a project's file cannot", async () => {
  writeAll();
  expect((await runHere(home, ["info", CLAUDE_ID])).stdout).toMatch(
    /cost +≥ \$1\.00 by list prices of .*\n +no price for model-x/u,
  );
  home.write(
    ".continuo/continuo.yaml",
    "prices: { Model-X: { input: 2, output: 0 }, claude-haiku-4-5: { input: 3, output: 0 } }",
  );
  expect((await stats()).total).toMatchObject({ costUsd: 8, unpriced: [] });
  const info = JSON.parse((await runHere(home, ["info", CLAUDE_ID, "--json"])).stdout);
  expect(info.cost).toMatchObject({
    usd: 5,
    unpriced: [],
    isByPrices: true,
    prices: { asOf: expect.any(String) },
  });
  home.write(".continuo/continuo.yaml", "prices: { model-x: { input: -1, output: 0 } }");
  expect((await runHere(home, ["stats"])).code).toBe(2);
  home.write(".continuo/continuo.yaml", "");
  home.write("project/continuo.yaml", "prices: { model-x: { input: 2, output: 0 } }");
  home.write("project/.git/HEAD", "");
  const refused = await runHere(home, ["chat", "--agent", "claude", "hi"], { cwd: `${home.path}/project` });
  expect(refused.stderr).toContain("only the file in CONTINUO_HOME");
});

test("for every session of the cases, the tokens by hour and model add up to the tokens of the session", async () => {
  const places = copyEveryCase(home.path);
  let counted = 0;
  for await (const found of findNativeSessions({ places, subagents: "include" })) {
    using session = await openNativeSession(found, { places });
    const { usage, location } = session.details;
    const sum = (await usageOf(session)).reduce((tokens, bucket) => tokens + tokensOf(bucket.usage), 0);
    expect({ location, sum }).toEqual({ location, sum: usage === null ? 0 : tokensOf(usage) });
    counted += sum;
  }
  expect(counted).toBeGreaterThan(0);
});
