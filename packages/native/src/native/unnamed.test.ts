/**
 * Names of files can be ids of sessions. A file that has no name before its ending must not give a session an empty id.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AGENT_NAMES, type AgentName } from "@continuo/core/model";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { formatOf } from "./registry.ts";

const OWN = "aaaaaaaa-0000-4000-8000-000000000001";
const SAID = { role: "user", content: [{ type: "text", text: "Which tea?" }] };

/** Files of each agent with their first record. The first file is a session with a name, which must be found. */
const FILES: Readonly<Record<Exclude<AgentName, "opencode">, Readonly<Record<string, object>>>> = {
  claude: {
    [`.claude/projects/-a/${OWN}.jsonl`]: { type: "user", uuid: "u1", parentUuid: null, message: SAID },
    ".claude/projects/-a/.jsonl": { type: "user", uuid: "u2", parentUuid: null, message: SAID },
    [`.claude/projects/-a/${OWN}/subagents/agent-.jsonl`]: { type: "user", uuid: "u3", message: SAID },
  },
  codex: {
    [`.codex/sessions/2026/11/27/rollout-2026-11-27T01-00-00-${OWN}.jsonl`]: {
      type: "session_meta",
      payload: { id: OWN },
    },
    ".codex/sessions/2026/11/27/rollout-.jsonl": { type: "session_meta", payload: { id: "" } },
  },
  gemini: {
    ".gemini/tmp/tea/chats/session-2026-11-27T01-00-aaaaaaaa.json": { sessionId: OWN, messages: [] },
    ".gemini/tmp/tea/chats/session-.json": { sessionId: "", messages: [] },
    ".gemini/tmp/tea/chats/session-.jsonl": { sessionId: "" },
    [`.gemini/tmp/tea/chats/${OWN}/.jsonl`]: { kind: "subagent" },
  },
  pi: {
    [`.pi/agent/sessions/--a--/2026-11-27T01-00-00-000Z_${OWN}.jsonl`]: {
      type: "session",
      id: OWN,
      cwd: "/a",
    },
    ".pi/agent/sessions/--a--/.jsonl": { type: "session", id: "", cwd: "/a" },
  },
  copilot: {
    [`.copilot/session-state/${OWN}/events.jsonl`]: { type: "session.start", data: { sessionId: OWN } },
    ".copilot/session-state/.jsonl": { type: "session.start", data: { sessionId: "" } },
    ".copilot/session-state/b/events.jsonl": { type: "session.start", data: { sessionId: "" } },
  },
};

let home: string;
beforeEach(() => {
  home = scratchFolder("unnamed");
});

// The ids of opencode are keys of rows.
test.each(AGENT_NAMES.filter((agent) => agent !== "opencode"))(
  "%s: no session has an empty id, in a list or by its path",
  async (agent) => {
    const files = Object.entries(FILES[agent]);
    for (const [name, record] of files) {
      mkdirSync(dirname(join(home, name)), { recursive: true });
      writeFileSync(join(home, name), `${JSON.stringify(record)}\n`);
    }
    const reader = await formatOf(agent);
    const places = { home, env: {} };
    const listed = await Array.fromAsync(reader.find(places, { subagents: "include" }));
    const ids = listed.map(({ sessionId }) => sessionId);
    expect(ids).toContain(OWN);
    expect(ids).not.toContain("");
    for (const [name] of files) {
      expect((await reader.recognise(join(home, name), places))?.sessionId, name).not.toBe("");
    }
  },
);
