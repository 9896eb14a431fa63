import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentDriver, ContinuoError } from "@continuo/core/model";
import { expect, test } from "vitest";
import { listAgentSessions } from "../../packages/agents/src/catalog/agent-lists.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { hello1 } from "./script.ts";
import { scripted } from "./scripted-program.ts";

const HEADER = (id: string) =>
  [
    { type: "session", version: 3, id, timestamp: "2026-01-02T00:00:00.000Z", cwd: "/folder" },
    {
      type: "message",
      id: "a",
      parentId: null,
      timestamp: "2026-01-02T00:00:00.000Z",
      message: { role: "user", content: "hello", timestamp: 1767312000000 },
    },
  ]
    .map((record) => JSON.stringify(record))
    .join("\n");

test("the lists of agents are merged with the files: no session twice, and a list that fails is reported", async () => {
  const home = scratchFolder("list");
  const folder = join(home, ".pi/agent/sessions/--folder--");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "2026-01-02T00-00-00-000Z_on-disk.jsonl"), `${HEADER("on-disk")}\n`);
  const row = (sessionId: string, updatedAt: string) => ({
    sessionId,
    cwd: "/folder",
    title: null,
    updatedAt,
  });
  const told = [row("on-disk", "2026-01-09T00:00:00.000Z"), row("told", "2026-01-03T00:00:00.000Z")];
  const pi: AgentDriver = {
    agent: "pi",
    capabilities: () => Promise.reject(new Error("not asked")),
    open: () => Promise.reject(new Error("not asked")),
    listSessions: async ({ cursor }) =>
      cursor === undefined
        ? { items: told.slice(0, 1), nextCursor: "2" }
        : { items: told.slice(1), nextCursor: null },
  };
  const broken = {
    ...pi,
    agent: "broken",
    listSessions: () => Promise.reject(new ContinuoError("agent_failed", "no")),
  };
  const mute = {
    ...pi,
    agent: "claude",
    listSessions: () => Promise.reject(new ContinuoError("unsupported", "no")),
  };
  const { driver } = scripted({
    hello: hello1({ list: {} }),
    answers: { "session/list": [{ result: { sessions: [row("elsewhere", "2026-01-01T00:00:00Z")] } }] },
  });

  // The filter uses the time from Continuo's reader: the agent's own time does not bring back a session that is too
  // old.
  const recent = await listAgentSessions({ places: { home, env: {} }, drivers: [pi], since: "2026-01-03" });
  expect(recent.sessions.map(({ sessionId }) => sessionId)).toEqual(["told"]);

  const { sessions, failures } = await listAgentSessions({
    places: { home, env: {} },
    drivers: [pi, broken, mute, driver],
  });
  expect(sessions.map(({ agent, sessionId, updatedAt }) => [agent, sessionId, updatedAt])).toEqual([
    ["pi", "told", "2026-01-03T00:00:00.000Z"],
    ["pi", "on-disk", "2026-01-02T00:00:00.000Z"],
    ["scripted", "elsewhere", "2026-01-01T00:00:00.000Z"],
  ]);
  expect(failures).toMatchObject([{ agent: "broken", error: { code: "agent_failed" } }]);
});
