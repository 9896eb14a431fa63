/**
 * Runs the rules of the protocol's test kit on the real agents, with `--all-versions`. Each outcome must equal the
 * stored one: version 1 is in `results/AGENT.json`, version 2 in `results/version-2/AGENT.json`. docs/editors.md is
 * made from these files. `CONTINUO_RECORD=1` writes the current outcomes.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { tool } from "../../model-servers/index.ts";
import { claudeByAcp, codexByAcp, piByAcp } from "../drivers/subjects/adapters.ts";
import { gemini } from "../drivers/subjects/gemini.ts";
import { opencode } from "../drivers/subjects/opencode.ts";
import { isWanted, PINNED, type PinnedName } from "../install.ts";
import { expectSame, type Judgement, type Judgement2, judge, judge2, type RealAgent } from "./judge.ts";

/** Neither Claude Code nor Codex offers the model of these tests a tool for plans. */
const CLAUDE_ASKS: RealAgent["asking"] = {
  environment: {},
  calls: (file) => [
    tool("Bash", { command: "pwd", description: "Print the folder" }),
    tool("Write", { file_path: file, content: "words" }),
  ],
};

const CODEX_ASKS: RealAgent["asking"] = {
  // The adapter does not read the sandbox settings of Codex.
  environment: { INITIAL_AGENT_MODE: "read-only" },
  calls: (file) => [
    tool("exec_command", { cmd: "pwd" }),
    tool("apply_patch", `*** Begin Patch\n*** Add File: ${basename(file)}\n+words\n*** End Patch`),
  ],
};

const AGENTS: readonly (readonly [name: string, packages: readonly PinnedName[], agent: RealAgent])[] = [
  ["claude", ["claude", "claudeAcp"], { args: [], asking: CLAUDE_ASKS, prepare: claudeByAcp(1).prepare }],
  ["codex", ["codex", "codexAcp"], { args: [], asking: CODEX_ASKS, prepare: codexByAcp(1).prepare }],
  ["gemini", ["gemini"], { args: ["--acp"], login: "gemini-api-key", prepare: gemini.prepare }],
  ["opencode", ["opencode"], { args: ["acp"], prepare: opencode.prepare }],
  ["pi", ["pi", "piAcp"], { args: [], prepare: piByAcp.prepare }],
];
/** The agent starts about sixty times. */
const TIMEOUT_MS = 2 * 60 * 60_000;

if (isWanted(PINNED.claudeAcp)) {
  test.each(AGENTS)(
    "%s follows exactly the rules that are recorded for it",
    { timeout: TIMEOUT_MS },
    async (name, packages, agent) => {
      const programs = packages.map((key) => `${PINNED[key].name} ${PINNED[key].version}`);
      const judgement = await judge(agent, (line) => console.info(`${name}: ${line}`));
      const file = join(import.meta.dirname, "results", `${name}.json`);
      if (process.env.CONTINUO_RECORD === "1") {
        const triedOn = new Date().toISOString().slice(0, 10);
        writeFileSync(file, `${JSON.stringify({ triedOn, programs, ...judgement }, null, 2)}\n`);
        return;
      }
      const stored = JSON.parse(readFileSync(file, "utf8")) as Judgement & {
        readonly programs: readonly string[];
      };
      expect(programs).toEqual(stored.programs);
      expectSame(judgement, stored);
    },
  );
  test.each(AGENTS)(
    "%s gives the recorded answers to a client that asks for version 2",
    { timeout: TIMEOUT_MS },
    async (name, packages, agent) => {
      const programs = packages.map((key) => `${PINNED[key].name} ${PINNED[key].version}`);
      const judgement = await judge2(agent, (line) => console.info(`${name}, version 2: ${line}`));
      const file = join(import.meta.dirname, "results/version-2", `${name}.json`);
      if (process.env.CONTINUO_RECORD === "1") {
        const triedOn = new Date().toISOString().slice(0, 10);
        writeFileSync(file, `${JSON.stringify({ triedOn, programs, ...judgement }, null, 2)}\n`);
        return;
      }
      const stored = JSON.parse(readFileSync(file, "utf8")) as Judgement2;
      expect(stored).toMatchObject({ programs, answers: judgement.answers });
      expectSame(judgement, stored);
    },
  );
}
