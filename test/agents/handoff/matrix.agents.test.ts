/**
 * Each of the six real agents holds a conversation once. The conversation is handed over to each agent, which verifies
 * and resumes it; the request of this agent has the messages that the source's model received. On the way back, the
 * source's own records return, with the same bytes of signatures and encrypted reasoning. A run of CI tries a third of
 * the pairs.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { formatOf, handOff, openNativeSession, type Places } from "@continuo/agents";
import type { AgentName, Message } from "@continuo/core/model";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { saidIn, sourceView } from "../../hand-off/spoken-items.ts";
import { type ModelServer, startModelServer } from "../../model-servers/index.ts";
import { pairsOfRun } from "../../sizes/rotation.ts";
import { AGENTS, type AgentUnderTest } from "../append/begin.ts";
import { type Item, normaliseView, TELLS_ERRORS } from "../items.ts";
import { ageBy, countKinds, historyOf, snapshotOf } from "../proof.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";
import { isNewestOfAll } from "../versions.ts";
import { type AgentConversation, CONVERSATIONS, scriptOf, writeFiles } from "./conversations.ts";
import { type Cell, rowOf, withTable } from "./result-table.ts";
import { openTargets, type Targets } from "./targets.ts";

const DOCUMENT = join(import.meta.dirname, "../../../docs/support.md");

/** The stage of the original conversations, which are not continued there. */
let origins: Sandbox;
let originServer: ModelServer;
const held = new Map<AgentName, AgentConversation>();
/** The stage to which the conversations are handed over. */
let targets: Targets;
const PAIRS = pairsOfRun(AGENTS);
const cells = new Map<string, Cell>();
const handed = new Map<string, string>();

beforeAll(async () => {
  origins = await makeSandbox();
  await writeFiles(origins);
  originServer = await startModelServer(scriptOf(origins.project));
  targets = await openTargets();
});

afterAll(async () => {
  await originServer?.close();
  await origins?.[Symbol.asyncDispose]();
  await targets?.[Symbol.asyncDispose]();
});

/** Returns the homes of all targets and of Continuo. Another agent as the source has the home of its conversation. */
function placesFor(from: AgentName, to: AgentName): Places {
  const source = from === to ? {} : (held.get(from)?.environment ?? {});
  return { home: targets.sandbox.root, env: { ...targets.env, ...source } };
}

function originPlaces(agent: AgentName): Places {
  return { home: origins.root, env: held.get(agent)?.environment ?? {} };
}

async function originHistory(agent: AgentName): Promise<readonly Message[]> {
  return await historyOf(agent, held.get(agent)?.sessionId ?? "", originPlaces(agent));
}

/** Everything that the source's model received, including thinking. */
async function wholeView({ agent }: AgentUnderTest): Promise<readonly Item[]> {
  return normaliseView((await formatOf(agent)).modelView(await originHistory(agent)), {
    tellsErrors: TELLS_ERRORS.has(agent),
  });
}

test.each(AGENTS)("$agent holds its conversation", async (under) => {
  const { agent } = under;
  const { hold, minResultBytes } = CONVERSATIONS[agent];
  held.set(agent, await hold(origins, originServer.url));
  const view = await wholeView(under);
  expect(countKinds(view)).toMatchObject({ call: 2, result: 2, image: 1 });
  const lengths = view.map((item) => (item.kind === "result" ? Buffer.byteLength(item.text) : 0));
  expect(Math.max(...lengths)).toBeGreaterThan(minResultBytes);
  const blocks = (await originHistory(agent)).flatMap(({ content }) => content);
  expect(blocks.filter((block) => block.type === "thinking")).toHaveLength(2);
  expect(blocks.filter((block) => block.type === "tool_result" && block.isError)).toHaveLength(1);
});

/** The files of the sources, after their times were set back by 200 days. */
let aged: Readonly<Record<string, string>>;

/** SQLite records readers of a database in the `-shm`, so this file is left out. */
async function filesOfSources(): Promise<Readonly<Record<string, string>>> {
  const files = Object.entries(await snapshotOf(origins.root));
  return Object.fromEntries(files.filter(([name]) => !name.endsWith(".db-shm")));
}

test("the files of the sources get times of 200 days ago", async () => {
  await ageBy(200, origins.root);
  aged = await filesOfSources();
});

describe.each(AGENTS)("a hand-over to $agent", (to) => {
  const sources = PAIRS.filter(([, target]) => target === to).map(([from]) => from);
  test.each(sources)("has the messages of the conversation with $agent", async (from) => {
    const places = placesFor(from.agent, to.agent);
    const { sessionId } = held.get(from.agent) ?? { sessionId: "" };
    const file = await locationOf(from.agent);
    const { made, items } = await targets.goOn({ ref: file, places, to });
    cells.set(`${from.agent} ${to.agent}`, { from: from.agent, to: to.agent, receipt: made.receipt });
    handed.set(`${from.agent} ${to.agent}`, made.sessionId ?? "");
    if (from.agent === to.agent) expect(items).toEqual(await wholeView(from));
    expect(saidIn(items)).toEqual(saidIn(await sourceView(from.agent, sessionId, originPlaces(from.agent))));
  });
});

/** Returns the path of the session, because one agent may have two homes here. */
async function locationOf(agent: AgentName): Promise<string> {
  using session = await openNativeSession(`${agent}:${held.get(agent)?.sessionId}`, {
    places: originPlaces(agent),
  });
  return session.details.location;
}

/** The agents whose model signs or encrypts its thinking, and receives it again. */
const SIGNS: ReadonlySet<AgentName> = new Set(["claude", "codex"]);

const RING = PAIRS.filter(([a, b]) => AGENTS.indexOf(b) === (AGENTS.indexOf(a) + 1) % AGENTS.length).map(
  ([a, b]) => ({ a, b }),
);

test.each(RING)(
  "$a.agent to $b.agent and back: the session has its own records and the messages from $b.agent",
  async ({ a, b }) => {
    const id = handed.get(`${a.agent} ${b.agent}`);
    const { made, items } = await targets.goOn({
      ref: `${b.agent}:${id}`,
      places: placesFor(a.agent, a.agent),
      to: a,
    });
    expect(made.broughtBack).toMatchObject({ agent: a.agent, sessionId: held.get(a.agent)?.sessionId });
    const before = await wholeView(a);
    expect(items.slice(0, before.length)).toEqual(before);
    if (SIGNS.has(a.agent)) {
      expect(items).toContainEqual(
        expect.objectContaining({ kind: "thinking", signature: expect.any(String) }),
      );
    }
    expect(items.slice(before.length)).toMatchObject([
      { kind: "text", role: "user", text: "Go on." },
      // Copilot writes the time before the text.
      { kind: "text", role: "assistant", text: expect.stringMatching(/^echo: .*Go on\.$/su) },
    ]);
  },
);

test.each(RING)(
  "a part of a session goes from $a.agent to $b.agent and back, and its sealed thinking is unchanged",
  async ({ a, b }) => {
    const whole = await wholeView(a);
    const view = (await formatOf(a.agent)).modelView(await originHistory(a.agent));
    const there = await handOff(await locationOf(a.agent), {
      to: b.agent,
      cwd: targets.sandbox.project,
      places: placesFor(a.agent, b.agent),
      verifyBy: "own",
      maxMessages: view.length - 1,
    });
    const { made, items } = await targets.goOn({
      ref: `${b.agent}:${there.sessionId}`,
      places: placesFor(a.agent, a.agent),
      to: a,
    });
    expect(made.broughtBack).toMatchObject({ sessionId: held.get(a.agent)?.sessionId, as: "messages" });
    expect(made.receipt.dropped).toBe(0);
    const isSealed = (item: Item): boolean => item.kind === "thinking" && item.signature !== undefined;
    expect(items.filter(isSealed)).toEqual(whole.filter(isSealed));
    expect(items.length).toBeGreaterThan(2);
  },
);

test("the homes of the sources are as they were, byte for byte", async () => {
  expect(await filesOfSources()).toEqual(aged);
});

test("docs/support.md lists what every agent keeps of every other agent's conversation", async () => {
  const all = AGENTS.flatMap(({ agent: from }) =>
    AGENTS.flatMap(({ agent: to }) => cells.get(`${from} ${to}`) ?? []),
  );
  expect(all).toHaveLength(PAIRS.length);
  // The document is about the newest versions.
  if (!isNewestOfAll()) return;
  const document = readFileSync(DOCUMENT, "utf8");
  if (all.length < AGENTS.length ** 2) {
    for (const cell of all) expect(document).toContain(`\n${rowOf(cell)}\n`);
    return;
  }
  await expect(withTable(document, all)).toMatchFileSnapshot(DOCUMENT);
});
