/**
 * `npm run bench -- chat`: how long until the model is asked, compared with the agent's own command line; and the
 * memory of a long `repl`. Needs the agents of `npm run test:agents`.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SUBJECTS } from "../../test/agents/drivers/subjects/index.ts";
import { makeSandbox, runProgram, type Sandbox } from "../../test/agents/sandbox.ts";
import { startModelServer } from "../../test/model-servers/index.ts";
import { printRatios, type Ratio } from "../measure/index.ts";

const ROOT = join(import.meta.dirname, "../..");
const MAIN = join(ROOT, "dist/cli/main.js");
const SCRIPTED = join(ROOT, "test/acp/scripted-agent.ts");

/** The agent's own command line, asked the same. */
const OWN: Readonly<Record<"claude" | "codex", readonly string[]>> = {
  claude: ["-p", "hello"],
  codex: ["exec", "hello"],
};

const SHORT_TALK = 200;
const LONG_TALK = 1_000;
/** Its session goes on, so that nothing is told twice. */
const SCRIPT = {
  hello: { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {} } } },
  answers: { "session/resume": [{ result: {} }] },
};
const HEAP = "--max-old-space-size=64";

export async function run({ rounds }: { readonly large: boolean; readonly rounds: number }): Promise<void> {
  const ratios: Ratio[] = [];
  for (const agent of ["claude", "codex"] as const) {
    const { own, chat } = await untilAsked(agent, Math.max(5, rounds));
    console.log(`\n${agent}: from the start to the first request, medians`);
    console.log(`  ${`${agent} ${OWN[agent].join(" ")}`.padEnd(44)} ${own.toFixed(0)} ms`);
    console.log(`  ${"continuo chat hello".padEnd(44)} ${chat.toFixed(0)} ms`);
    ratios.push({
      what: `continuo chat / ${agent} itself`,
      ratio: chat / own,
      wanted: "below",
      target: 1.15,
    });
  }
  const [short, long] = [await memoryOf(SHORT_TALK), await memoryOf(LONG_TALK)];
  console.log("\nrepl with the scripted agent: peak memory");
  console.log(`  ${`${SHORT_TALK} turns`.padEnd(44)} ${(short / 1e6).toFixed(0)} MB`);
  console.log(`  ${`${LONG_TALK} turns`.padEnd(44)} ${(long / 1e6).toFixed(0)} MB`);
  ratios.push({
    what: `memory of repl, ${LONG_TALK} turns / ${SHORT_TALK}`,
    ratio: long / short,
    wanted: "below",
    target: 1.2,
  });
  printRatios(ratios);
}

/** In turn, so that a machine whose speed drifts drifts for both; after one warm-up each. */
async function untilAsked(
  agent: "claude" | "codex",
  rounds: number,
): Promise<{ readonly own: number; readonly chat: number }> {
  await using sandbox = await makeSandbox();
  await using server = await startModelServer();
  const { environment, command } = await SUBJECTS[agent].prepare(sandbox, server.url);
  const [program = "", ...args] = command;
  const settings = { agent, agents: { [agent]: { command: program, args } } };
  await sandbox.write(".continuo/continuo.yaml", JSON.stringify(settings));
  const times = { own: [] as number[], chat: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    for (const who of ["own", "chat"] as const) {
      const argv = who === "own" ? [...command, ...OWN[agent]] : [process.execPath, MAIN, "chat", "hello"];
      const before = server.conversation().length;
      const startedAt = Date.now();
      const [first = "", ...rest] = argv;
      const { code, stderr } = await runProgram(first, rest, { cwd: sandbox.project, env: environment });
      const asked = server.conversation()[before];
      if (code !== 0 || asked === undefined) throw new Error(`${argv.join(" ")} failed: ${stderr}`);
      if (round > 0) times[who].push(Date.parse(asked.at) - startedAt);
    }
  }
  return { own: median(times.own), chat: median(times.chat) };
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

const PEAK = `data:text/javascript,${encodeURIComponent(
  'import{writeFileSync}from"node:fs";process.on("exit",()=>writeFileSync("peak",String(process.resourceUsage().maxRSS*1024)))',
)}`;

async function memoryOf(turns: number): Promise<number> {
  await using sandbox: Sandbox = await makeSandbox();
  const script = await sandbox.write("script.json", JSON.stringify(SCRIPT));
  const agents = { scripted: { command: process.execPath, args: [SCRIPTED, script] } };
  await sandbox.write(".continuo/continuo.yaml", JSON.stringify({ agent: "scripted", agents }));
  const { code, stderr } = await runProgram(process.execPath, [HEAP, "--import", PEAK, MAIN, "repl"], {
    cwd: sandbox.project,
    env: sandbox.environment(),
    stdin: Array.from({ length: turns }, (_, at) => `question ${at} ${"word ".repeat(50)}\n`).join(""),
    timeoutMs: 20 * 60_000,
  });
  if (code !== 0) throw new Error(`a talk of ${turns} turns failed: ${stderr}`);
  return Number(readFileSync(join(sandbox.project, "peak"), "utf8"));
}
