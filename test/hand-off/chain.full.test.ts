/**
 * A conversation goes through several agents and comes back to an earlier one: the records of that agent are unchanged,
 * and the messages from the other agents follow them, in their order.
 */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AGENT_NAMES, type AgentName } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { beforeEach, describe, expect, test } from "vitest";
import { tested } from "../tested-agents.ts";
import { type Home, openHome, saidOf, type WrittenHandOff, withoutNames, wordsOf } from "./homes.ts";

let home: Home;

beforeEach(() => {
  home = openHome();
});

/** A session with parallel calls, of which one failed. */
const PARALLEL = tested(({ recorded }) => recorded.parallel);

const TRIPLES = AGENT_NAMES.flatMap((a) =>
  AGENT_NAMES.filter((b) => b !== a).flatMap((b) =>
    AGENT_NAMES.filter((c) => c !== a && c !== b).map((c) => ({ a, b, c })),
  ),
);

interface Chain {
  readonly id: string;
  readonly made: readonly WrittenHandOff[];
}

/** Hands the session over to the agents in turn, each of which adds messages. */
async function go(agents: readonly AgentName[], says: "each says more" | "nothing more"): Promise<Chain> {
  const [first = "claude", ...others] = agents;
  const id = home.use(first, PARALLEL[first]);
  const made: WrittenHandOff[] = [];
  let ref = `${first}:${id}`;
  for (const to of others) {
    const written = await home.go(ref, to);
    if (says === "each says more") await home.say(to, written, wordsAt(made.length, to));
    made.push(written);
    ref = `${to}:${written.sessionId}`;
  }
  return { id, made };
}

function wordsAt(step: number, agent: AgentName): string {
  return `${step} in ${agent}`;
}

async function expectOwnRecords(
  agent: AgentName,
  id: string,
  back: WrittenHandOff,
): Promise<readonly string[]> {
  expect(back.broughtBack).toMatchObject({ agent, sessionId: id, as: "records" });
  const [before, after] = [await home.read(agent, id), await home.read(agent, back.sessionId)];
  const count = before.entries.length;
  expect(withoutNames(agent, after.entries.slice(0, count))).toEqual(withoutNames(agent, before.entries));
  expect(wordsOf(after.history.slice(0, before.history.length))).toEqual(wordsOf(before.history));
  return wordsOf(after.history.slice(before.history.length));
}

describe.each(TRIPLES)("$a to $b to $c", ({ a, b, c }) => {
  test(`a return to ${a} has its own records, and the messages of ${b} and ${c}`, async () => {
    const { id, made } = await go([a, b, c], "each says more");
    const back = await home.go(`${c}:${made[1]?.sessionId}`, a);
    const added = await expectOwnRecords(a, id, back);
    expect(added).toEqual([...saidOf(wordsAt(0, b)), ...saidOf(wordsAt(1, c))]);
    expect(back.receipt.dropped).toBe(0);
  });
});

test.each(AGENT_NAMES)("all agents in turn, and back to %s, without new messages", async (a) => {
  const others = AGENT_NAMES.filter((agent) => agent !== a);
  const { id, made } = await go([a, ...others], "nothing more");
  const back = await home.go(`${others.at(-1)}:${made.at(-1)?.sessionId}`, a);
  expect(await expectOwnRecords(a, id, back)).toEqual([]);
});

test.each(AGENT_NAMES)(
  "to %s and onwards, back and forth: each agent has the records of its newest session",
  async (b) => {
    const [a = "claude", c = "claude"] = AGENT_NAMES.filter((agent) => agent !== b);
    const { made } = await go([a, b, c, b, a, c], "each says more");
    expect(made.map(({ broughtBack }) => broughtBack?.as ?? null)).toEqual([
      null,
      null,
      "records",
      "records",
      "records",
    ]);
    const [, , again, back, last] = made;
    expect(again?.broughtBack?.sessionId).toBe(made[0]?.sessionId);
    expect(last?.broughtBack?.sessionId).toBe(made[1]?.sessionId);
    const { history } = await home.read(a, back?.sessionId ?? "");
    const said = [b, c, b, a].flatMap((agent, step) => saidOf(wordsAt(step, agent)));
    expect(wordsOf(history).slice(-said.length)).toEqual(said);
  },
);

describe("a chain in which a session is missing", () => {
  test("returns by the copy of its records", async () => {
    const { id, made } = await go(["claude", "codex", "pi"], "each says more");
    const before = await home.read("claude", id);
    rmSync(join(home.home, "source"), { recursive: true });
    rmSync(made[0]?.location ?? "");
    const back = await home.go(`pi:${made[1]?.sessionId}`, "claude");
    expect(back.broughtBack).toMatchObject({ sessionId: id, as: "records" });
    const after = await home.read("claude", back.sessionId);
    expect(withoutNames("claude", after.entries.slice(0, before.entries.length))).toEqual(
      withoutNames("claude", before.entries),
    );
  });

  test("returns by the notes in the files if the store is missing", async () => {
    const { id, made } = await go(["claude", "codex", "pi"], "nothing more");
    rmSync(join(home.home, "continuo"), { recursive: true });
    const back = await home.go(`pi:${made[1]?.sessionId}`, "claude");
    await expectOwnRecords("claude", id, back);
  });

  test("is converted if both the session and the copy are missing", async () => {
    const { made } = await go(["claude", "codex", "pi"], "nothing more");
    rmSync(join(home.home, "continuo"), { recursive: true });
    rmSync(made[0]?.location ?? "");
    const back = await home.go(`pi:${made[1]?.sessionId}`, "claude");
    expect(back.broughtBack).toBeNull();
  });
});

test("a circle of origins in the store is ignored", async () => {
  const id = home.use("claude", "parallel-tools");
  const there = await home.go(`claude:${id}`, "codex");
  const on = await home.go(`codex:${there.sessionId}`, "pi");
  const url = `sqlite:${join(home.home, "continuo", "continuo.db")}`;
  {
    await using store = await openStore(url);
    // The store names the session of pi, which was made from the one of codex, as the origin of that one.
    const { events } = await store.read(`handoff/pi/${on.sessionId}`);
    const data = events[0]?.data as { from: object; to: object };
    await store.deleteLog(`handoff/claude/${id}`).catch(() => null);
    await store.createLog({
      logId: `handoff/claude/${id}`,
      events: [{ type: "session_handed_over", data: { ...data, from: { ...data.from } } }],
    });
  }
  const back = await home.go(`pi:${on.sessionId}`, "gemini");
  expect(back.broughtBack).toBeNull();
});

test.each([
  { hash: "the records' own", sha256: null, as: "records" },
  { hash: "another", sha256: "0".repeat(64), as: undefined },
])(
  "a file that names a copy in the store gets it only if the hash of its records matches: $hash",
  async ({ sha256, as }) => {
    const id = home.use("claude", "parallel-tools");
    const there = await home.go(`claude:${id}`, "pi");
    rmSync(join(home.home, "source"), { recursive: true });
    const logId = `handoff/pi/${there.sessionId}`;
    await using store = await openStore(`sqlite:${join(home.home, "continuo", "continuo.db")}`);
    const { events } = await store.read(logId);
    const { from } = (events[0]?.data ?? {}) as { from?: { copy: string; sha256: string } };
    await store.deleteLog(logId);
    const file = there.location ?? "";
    const [header = "", ...lines] = readFileSync(file, "utf8").split("\n");
    const { continuo, ...session } = JSON.parse(header);
    const note = { ...continuo, from: { ...from, sha256: sha256 ?? from?.sha256 } };
    writeFileSync(file, [JSON.stringify({ ...session, continuo: note }), ...lines].join("\n"));
    const back = await home.go(`pi:${there.sessionId}`, "claude");
    expect(back.broughtBack?.as).toBe(as);
  },
);
