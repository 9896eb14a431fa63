/** The sessions that each agent's own program wrote, as an editor lists and loads them. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { openNativeSession, type Places } from "@continuo/agents";
import { type Message, type SessionInfo, textOf, typedIn } from "@continuo/core/model";
import { expect, test } from "vitest";
import { CASE_GROUPS, copyGroup, FORMAT_CASES } from "../fixture-home.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { openEditor } from "./editor.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");

const keyOf = ({ agent, sessionId }: SessionInfo): string => `${agent}:${sessionId}`;

test.each(CASE_GROUPS.map((group) => [namesOf(group), group] as const))(
  "the sessions of %s are listed with title and folder, and loaded with their messages and calls",
  async (_, group) => {
    const home = scratchFolder("format-cases");
    const { places, sessions } = await copyGroup(home, group);
    await using editor = await openEditor({ path: home }, { env: places.env });
    const { sessions: rows } = await editor.agent.request("session/list", { archived: "include" });
    const listed = sessions.filter(({ title }) => title !== null);
    expect(rows.map(factsOfRow).toSorted()).toEqual(listed.map(factsOfInfo).toSorted());
    for (const { sessionId, title } of rows) {
      editor.take();
      await editor.agent.request("session/load", { sessionId, cwd: home, mcpServers: [] });
      const history = await historyOf(sessionId, places);
      expect(shownIn(editor.take())).toEqual(spokenIn(history));
      expect(insertedIn(history).filter((text) => text.startsWith(String(title)))).toEqual([]);
    }
  },
);

const WITH_SUB_AGENTS = FORMAT_CASES.filter(([, name]) => /^sub-?agent$/u.test(name));

test("a session of a sub-agent is in no list of an editor", async () => {
  expect(WITH_SUB_AGENTS.map(([agent]) => agent)).toEqual(["claude", "gemini", "opencode", "copilot"]);
  const home = scratchFolder("sub-agents");
  const { places } = await copyGroup(home, WITH_SUB_AGENTS);
  await using editor = await openEditor({ path: home }, { env: places.env });
  const { sessions } = await editor.agent.request("session/list", { archived: "include" });
  const mains = WITH_SUB_AGENTS.map(([agent, name]) => {
    const { sessionId } = JSON.parse(readFileSync(join(FIXTURES, agent, name, "requests.json"), "utf8"));
    return `${agent}:${sessionId}`;
  });
  expect(sessions.map(({ sessionId }) => sessionId).toSorted()).toEqual(mains.toSorted());
});

function namesOf(group: (typeof CASE_GROUPS)[number]): string {
  return group.map((one) => one.join("/")).join(", ");
}

function factsOfRow({ sessionId, title, _meta }: Record<string, unknown>): string {
  const { cwd } = (_meta as { readonly continuo: { readonly cwd: unknown } }).continuo;
  return JSON.stringify([sessionId, title, cwd]);
}

function factsOfInfo(info: SessionInfo): string {
  return JSON.stringify([keyOf(info), info.title, info.cwd]);
}

async function historyOf(key: string, places: Places): Promise<readonly Message[]> {
  using session = await openNativeSession(key, { places });
  return await Array.fromAsync(session.history());
}

/** The origins of messages that nobody said. */
const INSERTED: ReadonlySet<unknown> = new Set(["injected", "notification", "summary"]);

/** Each text in the form of a title. */
function insertedIn(history: readonly Message[]): readonly string[] {
  return history
    .filter(({ origin }) => INSERTED.has(origin))
    .map(({ content }) => textOf(content).trim().replaceAll(/\s+/gu, " "));
}

/** The texts of the messages and the names of the calls, in their order. */
function spokenIn(history: readonly Message[]): readonly string[] {
  return history
    .filter(({ origin, role }) => !INSERTED.has(origin) && role !== "system")
    .flatMap(({ role, content }) => {
      const parts: string[] = [];
      for (const block of content) {
        if (block.type === "tool_call") parts.push(`call ${block.name}`);
        if (block.type !== "text") continue;
        const text = role === "user" ? typedIn(block) : block.text;
        if (parts.at(-1)?.startsWith(`${role} `) === true) parts.push(`${parts.pop()}${text}`);
        else parts.push(`${role} ${text}`);
      }
      return parts;
    });
}

function shownIn(updates: readonly SessionUpdate[]): readonly string[] {
  const shown: string[] = [];
  let last: unknown;
  for (const update of updates) {
    if (update.sessionUpdate === "tool_call") shown.push(`call ${update.name}`);
    if (update.sessionUpdate !== "user_message_chunk" && update.sessionUpdate !== "agent_message_chunk")
      continue;
    if (update.content.type !== "text") continue;
    const role = update.sessionUpdate === "user_message_chunk" ? "user" : "assistant";
    if (update.messageId === last && shown.at(-1)?.startsWith(`${role} `) === true)
      shown.push(`${shown.pop()}${update.content.text}`);
    else shown.push(`${role} ${update.content.text}`);
    last = update.messageId;
  }
  return shown;
}
