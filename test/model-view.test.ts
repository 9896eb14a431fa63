/** What each reader says the model is sent, against what the real agent sent: every fixture, without an agent. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { openNativeSession, readerOf } from "../src/agents/index.ts";
import type { AgentName } from "../src/model/index.ts";
import { normaliseView } from "./agents/items.ts";

const FIXTURES = fileURLToPath(new URL("fixtures/", import.meta.url));

/** The variable that names an agent's home, and whether its protocol tells failed tool results apart. */
const AGENTS: readonly { agent: AgentName; homeVariable: string; tellsErrors: boolean }[] = [
  { agent: "claude", homeVariable: "CLAUDE_CONFIG_DIR", tellsErrors: true },
  { agent: "codex", homeVariable: "CODEX_HOME", tellsErrors: false },
  { agent: "gemini", homeVariable: "GEMINI_CLI_HOME", tellsErrors: false },
  { agent: "pi", homeVariable: "PI_CODING_AGENT_DIR", tellsErrors: false },
  { agent: "opencode", homeVariable: "XDG_DATA_HOME", tellsErrors: false },
];

describe.each(AGENTS)("the model view of $agent", ({ agent, homeVariable, tellsErrors }) => {
  test.each(readdirSync(join(FIXTURES, agent)))("%s", async (name) => {
    const folder = join(FIXTURES, agent, name);
    const sent = JSON.parse(readFileSync(join(folder, "requests.json"), "utf8"));
    const places = { home: "/nowhere", env: { [homeVariable]: join(folder, "home") } };
    using session = await openNativeSession(`${agent}:${sent.sessionId}`, { places });
    const history = await Array.fromAsync(session.history());
    const view = (await readerOf(agent)).modelView(history);
    expect(normaliseView(view, { tellsErrors })).toEqual(sent.items);
  });
});
