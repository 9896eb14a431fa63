/**
 * A list of one agent's sessions opens only files of that agent, so a file of another agent can neither slow it down
 * nor break it.
 */

import { spawnSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HOME_VARIABLES } from "@continuo/agents";
import { AGENT_NAMES, type AgentName } from "@continuo/core/model";
import { beforeAll, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { cleanEnv, MAIN } from "./home.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");

const home = scratchFolder("opens");
beforeAll(() => {
  for (const agent of AGENT_NAMES) {
    const fixture = join(FIXTURES, agent, agent === "codex" ? "legacy" : "parallel-tools", "home");
    cpSync(fixture, join(home, agent), { recursive: true });
  }
});

interface Listing {
  readonly stdout: string;
  /** Returns the agents whose sessions were opened. */
  readonly opened: readonly AgentName[];
}

/** @param emptied the agent whose folder has no session */
function list(agent: AgentName, emptied?: AgentName): Listing {
  const trace = join(home, `trace-${agent}`);
  const command = [process.execPath, MAIN, "list", "--agent", agent];
  const folders = AGENT_NAMES.map((one) => [HOME_VARIABLES[one], join(home, one === emptied ? "none" : one)]);
  const { status, stdout, stderr } = spawnSync(
    "strace",
    ["-f", "-e", "trace=open,openat", "-o", trace, ...command],
    { env: { ...cleanEnv(home), ...Object.fromEntries(folders) }, encoding: "utf8" },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const text = readFileSync(trace, "utf8");
  const isOpened = (one: string): boolean =>
    new RegExp(`"${home}/${one}/[^"]*\\.(?:jsonl|db)"`, "u").test(text);
  return { stdout, opened: AGENT_NAMES.filter(isOpened) };
}

test.each(AGENT_NAMES)("list --agent %s opens no session of another agent", (agent) => {
  expect(list(agent).opened).toEqual([agent]);
});

test("list --agent codex without a session of codex opens no session, and names the folders that it searched", () => {
  const { stdout, opened } = list("codex", "codex");
  expect(opened).toEqual([]);
  expect(stdout).toBe(
    "No sessions of codex. Looked in:\n  codex     ~/none/sessions, ~/none/archived_sessions\n`continuo session list` shows all.\n",
  );
});
