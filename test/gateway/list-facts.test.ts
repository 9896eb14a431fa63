/** The facts of a row in the list, in addition to its title: the health, the cost and the source of the session. */

import { appendFileSync } from "node:fs";
import type { SessionInfo } from "@agentclientprotocol/sdk/unstable";
import { costOf, markMoved, openRowIndex, shippedPrices, usageOfAll } from "@continuo/agents/catalog";
import type { AgentName } from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import { findNativeSessions } from "@continuo/native";
import { forkNativeSession } from "@continuo/native/editing";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { AhpHost } from "../../packages/server/src/ahp/host.ts";
import { createMachine } from "../../packages/server/src/machine/machine.ts";
import type { MachineOptions } from "../../packages/server/src/machine/options.ts";
import { createLists } from "../../src/gateway/list.ts";
import { copyHome } from "../fixture-home.ts";
import { scratchFolder } from "../scratch-folder.ts";

const CLAUDE = "5f0c2b1e-7d43-4a86-9a55-0c1f2e3d4b5a";
const CODEX = {
  "01a21a6c-3cb5-7b21-8903-2726a4cadbca": "01a21a6c-3a83-7473-84aa-edd9f1fa5963",
  "01a21a6c-412f-72e1-8b5e-ec7482fb6199": "01a21a6c-3cb5-7b21-8903-2726a4cadbca",
};
const PI_SOURCE = "01997c1e-5b00-7a11-8c22-9d33ae44bf55";
const PI = { "01a21aa2-2ad8-70fd-8760-710901e244ed": PI_SOURCE };
const PRICES = { own: {}, list: shippedPrices() };

// The clock is an hour ahead, because nothing is stored about files that were written a moment ago.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 }));
afterEach(() => void vi.useRealTimers());

async function homeOf(agent: AgentName, name: string): Promise<PlacesAt> {
  const home = scratchFolder(`list-facts-${agent}`);
  const { places } = await copyHome(home, [agent, name]);
  return { ...places, cwd: home, env: { ...places.env, CONTINUO_HOME: `${home}/.continuo` } };
}

async function list(places: PlacesAt): Promise<readonly SessionInfo[]> {
  const lists = createLists({ places, report: (line) => expect.fail(line), prices: async () => PRICES });
  onTestFinished(lists.end);
  return (await lists.page({ archived: "include" })).sessions;
}

/** The facts of each row by its id. */
async function facts(places: PlacesAt): Promise<Readonly<Record<string, Record<string, unknown>>>> {
  const rows = (await list(places)).map(({ sessionId, _meta }) => [sessionId, _meta?.continuo]);
  return Object.fromEntries(rows);
}

/**
 * The same facts in the summaries of the agent host, which are complete after the index has answered for each session.
 */
async function hostFacts(places: PlacesAt): Promise<Readonly<Record<string, Record<string, unknown>>>> {
  const machine = createMachine({ places, prices: async () => PRICES } as unknown as MachineOptions);
  const report = (line: string): void => expect.fail(line);
  const host = new AhpHost({ machine, now: Date.now, report });
  onTestFinished(async () => {
    host.close();
    await machine.close();
  });
  const read = async () =>
    Object.fromEntries(
      (await host.list()).map(({ resource, _meta }) => [
        resource,
        _meta?.continuo as Record<string, unknown>,
      ]),
    );
  await expect
    .poll(async () => Object.values(await read()).map(({ costUsd }) => costUsd))
    .not.toContain(undefined);
  return await read();
}

/** Reads all sessions for the index, as the viewer does. */
async function readAll(places: PlacesAt): Promise<void> {
  const index = openRowIndex(places);
  for await (const found of findNativeSessions({ places })) await index.read(found);
  await index.save();
}

/** Sessions that each agent's own program wrote, and the sources that their rows name. */
const CASES: readonly (readonly [AgentName, string, Sources])[] = [
  // In Claude Code's fork only the records of the answers name the source, so a full read is needed.
  ["claude", "fork", { row: {}, index: { "8d9e6a7b-1c2d-4e3f-8a4b-5c6d7e8f9a0b": CLAUDE } }],
  ["codex", "fork", { row: CODEX, index: CODEX }],
  // Gemini CLI has no forks, and a fork of opencode is a copy without the name of its source.
  ["gemini", "rewind", { row: {}, index: {} }],
  ["opencode", "fork", { row: {}, index: {} }],
  ["pi", "fork", { row: PI, index: PI }],
];

interface Sources {
  /** The sources that a list names before any session was read, by the id of the fork. */
  readonly row: Readonly<Record<string, string>>;
  readonly index: Readonly<Record<string, string>>;
}

test.each(CASES)(
  "a list of %s has the facts of its files, and the cost as soon as the index has it",
  async (agent, name, sources) => {
    const places = await homeOf(agent, name);
    const sourcesIn = (rows: Awaited<ReturnType<typeof facts>>) =>
      Object.fromEntries(
        Object.entries(rows).flatMap(([id, { forkedFrom }]) =>
          forkedFrom === undefined
            ? []
            : [[id.slice(agent.length + 1), String(forkedFrom).slice(agent.length + 1)]],
        ),
      );
    const before = await facts(places);
    expect(sourcesIn(before)).toEqual(sources.row);
    // The list reads no session, and leaves out facts that it does not know.
    for (const row of Object.values(before)) {
      expect(row).not.toHaveProperty("costUsd");
      expect(row).not.toHaveProperty("health");
      expect(Object.values(row)).not.toContain(null);
    }
    await readAll(places);
    const after = await facts(places);
    expect(sourcesIn(after)).toEqual(sources.index);
    const { sessions } = await usageOfAll({ places });
    const costs = sessions.map((one) => [`${agent}:${one.sessionId}`, costOf(one.buckets, PRICES).usd]);
    expect(
      Object.entries(after)
        .map(([id, { costUsd }]) => [id, costUsd])
        .sort(),
    ).toEqual(costs.sort());
    for (const { costUsd, health } of Object.values(after)) {
      expect(costUsd).toBeGreaterThan(0);
      expect(health).toEqual({ problems: [] });
    }
    expect(Object.keys(after)).toEqual(Object.keys(before));
    const inHost = Object.values(await hostFacts(places)).map(({ key, costUsd, forkedFrom }) => [
      key,
      { costUsd, forkedFrom },
    ]);
    const inUri = (id: unknown) => (typeof id === "string" ? id.replace(":", ":/") : undefined);
    const inList = Object.entries(after).map(([id, { costUsd, forkedFrom }]) => [
      id,
      { costUsd, forkedFrom: inUri(forkedFrom) },
    ]);
    expect(inHost.sort()).toEqual(inList.sort());
  },
);

test("the cost that `continuo stats` counted is in the list, without a claim about problems", async () => {
  const places = await homeOf("claude", "fork");
  await usageOfAll({ places });
  const [row] = Object.values(await facts(places));
  expect(row).toMatchObject({ costUsd: expect.closeTo(0.001104) });
  expect(row).not.toHaveProperty("health");
});

test("a session that has grown has no cost, and one that breaks off has that problem, until they are read again", async () => {
  const places = await homeOf("claude", "fork");
  await readAll(places);
  const [first] = await Array.fromAsync(findNativeSessions({ places }));
  appendFileSync(first?.location ?? "", '{"type":"user","message":{"ro');
  const id = `claude:${first?.sessionId}`;
  const { [id]: broken, ...others } = await facts(places);
  expect(broken).toMatchObject({ health: { problems: ["torn_line"] } });
  expect(broken).not.toHaveProperty("costUsd");
  for (const row of Object.values(others)) expect(row).toMatchObject({ health: { problems: [] } });
  await readAll(places);
  expect((await facts(places))[id]).toMatchObject({
    health: { problems: ["torn_line"] },
    costUsd: expect.any(Number),
  });
});

test("a session that was moved to another machine names that machine", async () => {
  const places = await homeOf("pi", "fork");
  const at = new Date().toISOString();
  const movedTo = { machine: "ssh://desk", agent: "pi", sessionId: PI_SOURCE, cwd: "/home/dev/project", at };
  await markMoved({ agent: "pi", sessionId: PI_SOURCE }, movedTo, { places });
  expect((await facts(places))[`pi:${PI_SOURCE}`]).toMatchObject({ health: { movedTo: "ssh://desk" } });
});

test("a fork that Continuo makes of an agent's session names its source at once", async () => {
  const places = await homeOf("claude", "fork");
  const copy = await forkNativeSession(CLAUDE, { places });
  expect((await facts(places))[`claude:${copy.sessionId}`]).toMatchObject({ forkedFrom: `claude:${CLAUDE}` });
});

test("prices that cannot be read are reported once, and leave out only the costs", async () => {
  const places = await homeOf("pi", "fork");
  await readAll(places);
  const lines: string[] = [];
  const prices = () => Promise.reject(new Error("continuo.yaml is not readable"));
  const lists = createLists({ places, report: (line) => void lines.push(line), prices });
  onTestFinished(lists.end);
  for (let page = 0; page < 2; page += 1) {
    const { sessions } = await lists.page({});
    const rows = sessions.map(({ _meta }) => _meta?.continuo);
    expect(rows).toEqual(rows.map(() => expect.objectContaining({ health: { problems: [] } })));
    for (const row of rows) expect(row).not.toHaveProperty("costUsd");
  }
  expect(lines).toEqual(["the costs of sessions are missing in the list: continuo.yaml is not readable"]);
});
