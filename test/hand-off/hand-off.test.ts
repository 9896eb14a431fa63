/**
 * Sessions of the real agents handed over to each other: what the target would send to its model is what the
 * source's model was sent, block by block. The agents themselves say the same in `npm run test:agents`.
 */

import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HOME_VARIABLES, handOff, openNativeSession, type Places } from "@continuo/agents";
import { AGENT_NAMES, type AgentName } from "@continuo/core/model";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { snapshotOf } from "../agents/proof.ts";
import { saidIn, sourceView } from "./said.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");

let home: string;
let cwd: string;
let env: Record<string, string>;
let places: Places;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "continuo-hand-off-"));
  cwd = join(home, "project");
  mkdirSync(cwd);
  env = { CONTINUO_HOME: join(home, "continuo") };
  places = { home, env };
  const database = join(FIXTURES, "opencode", "image", "home");
  cpSync(database, join(home, ".local", "share"), { recursive: true });
});

afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

interface Fixture {
  readonly agent: AgentName;
  readonly name: string;
}

const cases: readonly Fixture[] = AGENT_NAMES.flatMap((agent) =>
  readdirSync(join(FIXTURES, agent)).map((name) => ({ agent, name })),
);

/** A copy of a fixture's home; gives the id of its session. */
function useFixture({ agent, name }: Fixture): string {
  const folder = join(FIXTURES, agent, name);
  const copy = join(home, "source");
  cpSync(join(folder, "home"), copy, { recursive: true });
  env[HOME_VARIABLES[agent]] = copy;
  return String(JSON.parse(readFileSync(join(folder, "requests.json"), "utf8")).sessionId);
}

describe.each(AGENT_NAMES)("to %s", (to) => {
  test.each(cases.filter(({ agent }) => agent !== to))("from $agent: $name", async (fixture) => {
    const id = useFixture(fixture);
    const { agent } = fixture;
    const source = join(home, "source");
    const before = await snapshotOf(source);
    const made = await handOff(`${agent}:${id}`, { to, cwd, places, verifyBy: "own" });
    if (agent !== "opencode") expect(await snapshotOf(source)).toEqual(before);
    expect(made.verification?.by).toBe("continuo");
    expect(made.title).toContain(`from ${agent}: `);
    const view = await sourceView(to, made.sessionId ?? "", places);
    expect(saidIn(view)).toEqual(saidIn(await sourceView(agent, id, places)));
    expect(made.receipt.byKind.tool_call?.dropped ?? 0).toBe(0);
    expect(made.receipt.byKind.tool_result?.dropped ?? 0).toBe(0);
    expect(made.receipt.byKind.image?.dropped ?? 0).toBe(0);
  });
});

describe("a hand-over that is not to be", () => {
  const nothingNew = (): boolean => !existsSync(join(home, ".codex")) && !existsSync(join(home, "continuo"));

  test("ends with the receipt", async () => {
    const id = useFixture({ agent: "claude", name: "parallel-tools" });
    const receipt = await handOff(id, { to: "codex", cwd, places, until: "receipt" });
    expect(receipt).toMatchObject({ sessionId: null, location: null, receipt: { dropped: 0 } });
    expect(receipt.receipt.records.every(({ place }) => place !== "")).toBe(true);
    expect(nothingNew()).toBe(true);
  });

  test("loses more than is allowed", async () => {
    const id = useFixture({ agent: "claude", name: "parallel-tools" });
    const maxLoss = { tool_call: 0, other: 0 };
    const handing = handOff(id, { to: "codex", cwd, places, verifyBy: "own", maxLoss });
    await expect(handing).rejects.toMatchObject({
      code: "fidelity",
      details: { lost: { other: expect.any(Number) } },
    });
    expect(nothingNew()).toBe(true);
    const allowed = await handOff(id, {
      to: "codex",
      cwd,
      places,
      verifyBy: "own",
      maxLoss: { tool_call: 0 },
    });
    expect(allowed.sessionId).not.toBeNull();
  });

  test("has no folder to continue in", async () => {
    const id = useFixture({ agent: "claude", name: "parallel-tools" });
    const handing = handOff(id, { to: "codex", cwd: join(home, "gone"), places });
    await expect(handing).rejects.toMatchObject({ code: "not_found" });
    expect(nothingNew()).toBe(true);
  });

  test("begins with a message that is not there", async () => {
    const id = useFixture({ agent: "claude", name: "parallel-tools" });
    const handing = handOff(id, { to: "codex", cwd, places, fromMessage: "nobody" });
    await expect(handing).rejects.toMatchObject({ code: "not_found" });
  });
});

test.each(["claude", "pi"] as const)(
  "a compacted session of %s has no problem in Gemini CLI, although what it kept is older than its summary",
  async (agent) => {
    const id = useFixture({ agent, name: "compaction" });
    const made = await handOff(id, { to: "gemini", cwd, places, verifyBy: "own" });
    using session = await openNativeSession(`gemini:${made.sessionId}`, { places });
    expect(session.problems).toEqual([]);
  },
);

test("the newest messages within a limit go over, a call with its result, and the receipt names the others", async () => {
  const id = useFixture({ agent: "claude", name: "parallel-tools" });
  const made = await handOff(id, { to: "pi", cwd, places, verifyBy: "own", maxMessages: 2 });
  expect(made.receipt.records.some(({ reason }) => reason.startsWith("over the limit"))).toBe(true);
  using session = await openNativeSession(`pi:${made.sessionId}`, { places });
  expect(session.problems).toEqual([]);
});

test("a text that is cut to the limit is a loss, by which a hand-over can fail", async () => {
  const id = useFixture({ agent: "claude", name: "text-and-thinking" });
  const handing = { to: "pi", cwd, places, verifyBy: "own", maxTokens: 6 } as const;
  const made = await handOff(id, { ...handing, until: "receipt" });
  expect(made.receipt.byKind.text?.noted).toBeGreaterThan(0);
  expect(made.receipt.records.some(({ reason }) => reason === "cut to the limit")).toBe(true);
  const refused = handOff(id, { ...handing, maxLoss: { text: 0 } });
  await expect(refused).rejects.toMatchObject({ code: "fidelity" });
});

test.each(
  AGENT_NAMES.flatMap((agent) => cases.filter((each) => each.agent === agent && each.name === "subagent")),
)("$agent: sub-agents, which stay with the source, are on the receipt", async (fixture) => {
  const id = useFixture(fixture);
  using session = await openNativeSession(`${fixture.agent}:${id}`, { places });
  const { receipt } = await handOff(id, { to: "pi", cwd, places, until: "receipt" });
  expect(receipt.records.filter(({ place }) => place.startsWith("sub-agent "))).toEqual(
    session.details.subagents.map((subagent) => ({
      place: `sub-agent ${subagent.id}`,
      kind: "other",
      outcome: "noted",
      reason: "a session of its own, which stays with the source",
    })),
  );
  expect(session.details.subagents).not.toEqual([]);
});
