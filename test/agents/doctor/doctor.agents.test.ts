/**
 * `continuo agents doctor` with the real agents: it finds out what works, and sends no request to a model and changes
 * no file of the person.
 */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundledCommand } from "../../sizes/shared-programs.ts";
import { PINNED, packageFolder } from "../install.ts";
import { makeSandbox, runProgram, type Sandbox } from "../sandbox.ts";

const MAIN = await bundledCommand();
/** The time limit allows ten starts of a slow agent on a busy machine. */
const TIMEOUT_MS = 300_000;

interface Expected {
  readonly agent: "claude" | "codex" | "gemini" | "pi" | "opencode";
  readonly transport: "native" | "acp";
  readonly works: readonly string[];
  readonly notOffered: readonly string[];
}

const EXPECTED: readonly Expected[] = [
  {
    agent: "claude",
    transport: "native",
    works: ["start", "new", "close", "resume", "continue", "fork"],
    notOffered: ["list", "load", "delete"],
  },
  {
    agent: "codex",
    transport: "native",
    works: ["start", "new", "list", "close", "resume", "continue", "fork"],
    notOffered: ["load"],
  },
  {
    agent: "gemini",
    transport: "acp",
    works: ["start", "new", "close", "load", "continue"],
    notOffered: ["list", "resume", "fork", "delete"],
  },
  {
    agent: "pi",
    transport: "native",
    works: ["start", "new", "close", "resume", "continue", "fork"],
    notOffered: ["list", "load", "delete"],
  },
  {
    agent: "opencode",
    transport: "acp",
    works: ["start", "new", "list", "close", "load", "resume", "fork"],
    notOffered: ["delete"],
  },
];

test.each(EXPECTED)(
  "doctor finds out what works with $agent, and adds nothing to the home",
  { timeout: TIMEOUT_MS },
  async ({ agent, transport, works, notOffered }) => {
    await using sandbox = await makeSandbox();
    const { version } = PINNED[agent];
    await configure(sandbox, agent);
    const before = await readdir(sandbox.root);
    const { stdout, stderr } = await continuo(
      sandbox,
      "agents",
      "doctor",
      agent,
      "--json",
      "--timeout",
      "90s",
    );
    expect(stderr).toBe("");
    const told = JSON.parse(stdout);
    expect(told).toMatchObject({ agent, transport, version });
    const steps: readonly { step: string; outcome: string }[] = told.steps;
    const of = (outcome: string) => steps.filter((one) => one.outcome === outcome).map(({ step }) => step);
    expect(of("works")).toEqual(expect.arrayContaining([...works]));
    expect(of("not offered")).toEqual(notOffered);
    // Doctor runs the agent in a scratch home, so these two folders have no new entries.
    expect(await readdir(sandbox.root)).toEqual(before);
    expect(await readdir(sandbox.tmp)).toEqual([]);
    const listed = JSON.parse((await continuo(sandbox, "agents", "--json")).stdout);
    const row = listed.find((one: { agent: string }) => one.agent === agent);
    expect(row).toMatchObject({ found: true, version, transport, capabilities: told.capabilities });
  },
);

async function configure(sandbox: Sandbox, agent: Expected["agent"]): Promise<void> {
  const pinned = PINNED[agent];
  const program = join(packageFolder(pinned), pinned.proof);
  const command = program.endsWith(".js") ? [process.execPath, program] : [program];
  const [first, ...args] = command;
  const settings = { command: first, ...(args.length === 0 ? {} : { args }) };
  await sandbox.write(".continuo/continuo.yaml", JSON.stringify({ agents: { [agent]: settings } }));
}

const continuo = (sandbox: Sandbox, ...args: readonly string[]) =>
  runProgram(process.execPath, [MAIN, ...args], {
    cwd: sandbox.project,
    env: sandbox.environment(),
    timeoutMs: TIMEOUT_MS,
  });
