import { type AgentDriver, ContinuoError, type DriverSession } from "@continuo/core/model";
import { expect, test } from "vitest";
import { agentListOf, agentListsOf } from "./agent-lists.ts";

function session(sessionId: string, more: Partial<DriverSession> = {}): DriverSession {
  return { sessionId, cwd: null, title: null, updatedAt: null, ...more };
}

function driver(agent: string, pages: readonly (readonly DriverSession[])[] | ContinuoError): AgentDriver {
  const listSessions = async ({ cursor = "0" }: { readonly cursor?: string }) => {
    if (pages instanceof ContinuoError) throw pages;
    const at = Number(cursor);
    return { items: pages[at] ?? [], nextCursor: at + 1 < pages.length ? String(at + 1) : null };
  };
  return { agent, listSessions } as unknown as AgentDriver;
}

const idsOf = (rows: readonly DriverSession[]): readonly string[] => rows.map(({ sessionId }) => sessionId);

test("all pages of an agent's list are read", async () => {
  expect(idsOf(await agentListOf(driver("x", [[session("1")], [session("2")], [session("3")]]), {}))).toEqual(
    ["1", "2", "3"],
  );
  const endless = { agent: "x", listSessions: async () => ({ items: [], nextCursor: "again" }) };
  await expect(agentListOf(endless as unknown as AgentDriver, {})).rejects.toMatchObject({
    code: "agent_failed",
  });
});

test("sessions of other folders, and older ones, are left out although the agent lists them", async () => {
  const all = [
    session("here", { cwd: "/a", updatedAt: "2026-02-01" }),
    session("there", { cwd: "/b", updatedAt: "2026-02-01" }),
    session("unknown"),
  ];
  expect(idsOf(await agentListOf(driver("x", [all]), { cwd: "/a" }))).toEqual(["here", "unknown"]);
  expect(idsOf(await agentListOf(driver("x", [all]), { since: "2026-02-01" }))).toEqual(["here", "there"]);
  expect(await agentListOf(driver("x", [all]), { since: "2026-02-02" })).toEqual([]);
});

test("an agent that fails is reported, and the lists of the other agents are returned", async () => {
  const error = new ContinuoError("agent_failed", "the program crashed");
  const lists = await agentListsOf([driver("x", error), driver("y", [[session("1")]])], {});
  expect(lists).toEqual({ listed: [{ ...session("1"), agent: "y" }], failures: [{ agent: "x", error }] });
});

test("an agent without a list gives no sessions if Continuo reads its files, and an error if it does not", async () => {
  const error = new ContinuoError("unsupported", "no list");
  expect(await agentListOf(driver("pi", error), {})).toEqual([]);
  await expect(agentListOf(driver("x", error), {})).rejects.toMatchObject({ code: "unsupported" });
});
