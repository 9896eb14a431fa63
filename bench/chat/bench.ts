/**
 * `npm run bench -- chat`: the time until the model receives the first request, compared with the agent's own command
 * line, and with a minimal client that starts the same program in the same way; and the memory of a long `repl`. Needs
 * the agents of `npm run test:agents`.
 */

import { join } from "node:path";
import { startAppServer, threadIdIn } from "../../test/agents/codex/app-server.ts";
import { SUBJECTS } from "../../test/agents/drivers/subjects/index.ts";
import { makeSandbox, type ProgramOptions, runProgram, type Sandbox } from "../../test/agents/sandbox.ts";
import { talkLong } from "../../test/cli/long-talk.ts";
import { startModelServer } from "../../test/model-servers/index.ts";
import { printRatios, type Ratio } from "../measure/index.ts";

const ROOT = join(import.meta.dirname, "../..");
const MAIN = join(ROOT, "dist/cli/main.js");
const SCRIPTED = join(ROOT, "test/acp/scripted-agent.ts");

type BenchAgent = "claude" | "codex";

/** The agent's own command line with the same prompt. */
const OWN: Readonly<Record<BenchAgent, readonly string[]>> = {
  claude: ["-p", "hello"],
  codex: ["exec", "hello"],
};

const LINES = ["-p", "--verbose", "--input-format=stream-json", "--output-format=stream-json"];
const HELLO = { type: "user", message: { role: "user", content: "hello" } };

/** The program as Continuo starts it, with the same prompt from a client that does nothing else. */
const BARE: Readonly<
  Record<BenchAgent, (command: readonly string[], options: ProgramOptions) => Promise<void>>
> = {
  async claude(command, options) {
    await runToEnd([...command, ...LINES], { ...options, stdin: `${JSON.stringify(HELLO)}\n` });
  },
  async codex(command, options) {
    await using server = await startAppServer([...command, "app-server"], options);
    const thread = await server.request("thread/start", { cwd: options.cwd });
    await server.turn(threadIdIn(thread), "hello");
  },
};

async function runToEnd(argv: readonly string[], options: ProgramOptions): Promise<void> {
  const [program = "", ...args] = argv;
  const { code, stderr } = await runProgram(program, args, options);
  if (code !== 0) throw new Error(`${argv.join(" ")} failed: ${stderr}`);
}

/** The turns after which memory is measured; code that the first hundreds load and compile stays in memory. */
const LOOKS = [200, 1_000, 2_000] as const;
/** The session continues, so that no message is sent twice. */
const SCRIPT = {
  hello: { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {} } } },
  answers: { "session/resume": [{ result: {} }] },
};
/** 2,000 characters in each prompt and each answer, so that a program that keeps them is noticed. */
const WORDS = "word ".repeat(400);
/** This keeps the garbage collector from using more memory than it needs. */
const HEAP = ["--max-old-space-size=64", "--max-semi-space-size=1"];

export async function run({ rounds }: { readonly large: boolean; readonly rounds: number }): Promise<void> {
  const ratios: Ratio[] = [];
  for (const agent of ["claude", "codex"] as const) {
    const { own, bare, chat } = await untilAsked(agent, Math.max(5, rounds));
    console.log(`\n${agent}: from the start to the first request, medians (and the shortest)`);
    console.log(`  ${`${agent} ${OWN[agent].join(" ")}`.padEnd(44)} ${describeTimes(own)}`);
    console.log(`  ${"the same program, started the same way".padEnd(44)} ${describeTimes(bare)}`);
    console.log(`  ${"continuo chat hello".padEnd(44)} ${describeTimes(chat)}`);
    for (const [baseline, times] of [
      [`${agent} itself`, own],
      [`${agent} started the same way`, bare],
    ] as const) {
      const ratio = median(chat) / median(times);
      ratios.push({ what: `continuo chat / ${baseline}`, ratio, wanted: "below", target: 1.15 });
    }
  }
  ratios.push(...(await memory()));
  printRatios(ratios);
}

export type Times = Readonly<Record<"own" | "bare" | "chat", number[]>>;

/** The rounds alternate, so that changes of the machine's speed affect all alike; each has a warm-up before. */
export async function untilAsked(agent: BenchAgent, rounds: number): Promise<Times> {
  await using sandbox = await makeSandbox();
  await using server = await startModelServer();
  const { environment, command } = await SUBJECTS[agent].prepare(sandbox, server.url);
  const [program = "", ...args] = command;
  const settings = { agent, agents: { [agent]: { command: program, args } } };
  await sandbox.write(".continuo/continuo.yaml", JSON.stringify(settings));
  const times: Times = { own: [], bare: [], chat: [] };
  const options = { cwd: sandbox.project, env: environment };
  const ask = {
    own: () => runToEnd([...command, ...OWN[agent]], options),
    bare: () => BARE[agent](command, options),
    chat: () => runToEnd([process.execPath, MAIN, "chat", "hello"], options),
  } as const;
  for (let round = 0; round <= rounds; round++) {
    for (const who of ["own", "bare", "chat"] as const) {
      const before = server.conversation().length;
      const startedAt = Date.now();
      await ask[who]();
      const asked = server.conversation()[before];
      if (asked === undefined) throw new Error(`${agent} (${who}) did not ask its model`);
      if (round > 0) times[who].push(Date.parse(asked.at) - startedAt);
    }
  }
  return times;
}

function describeTimes(times: readonly number[]): string {
  return `${median(times).toFixed(0)} ms (${Math.min(...times).toFixed(0)})`;
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

/** The heap after a garbage collection, and the resident memory of the process. */
async function memory(): Promise<Ratio[]> {
  await using sandbox: Sandbox = await makeSandbox();
  const script = await sandbox.write("script.json", JSON.stringify(SCRIPT));
  const agents = { scripted: { command: process.execPath, args: [SCRIPTED, script] } };
  await sandbox.write(".continuo/continuo.yaml", JSON.stringify({ agent: "scripted", agents }));
  const held = await talkLong({
    main: MAIN,
    cwd: sandbox.project,
    env: sandbox.environment(),
    flags: HEAP,
    looks: LOOKS,
    words: WORDS,
  });
  console.log("\nrepl with the scripted agent: heap in use after a collection, and resident memory");
  for (const { turns, heapBytes, residentBytes } of held) {
    const sizes = `${(heapBytes / 1e6).toFixed(2)} MB   ${(residentBytes / 1e6).toFixed(0)} MB`;
    console.log(`  ${`${turns} turns`.padEnd(44)} ${sizes}`);
  }
  const [first, second, third] = held;
  if (first === undefined || second === undefined || third === undefined) throw new Error("it ended early");
  const between = `${second.turns} turns / ${first.turns}`;
  const left = (third.heapBytes - second.heapBytes) / (third.turns - second.turns);
  return [
    {
      what: `heap of repl, ${between}`,
      ratio: second.heapBytes / first.heapBytes,
      wanted: "below",
      target: 1.1,
    },
    {
      what: `resident memory of repl, ${between}`,
      ratio: second.residentBytes / first.residentBytes,
      wanted: "below",
      target: 1.2,
    },
    {
      what: `bytes of the heap that a turn leaves, ${second.turns} to ${third.turns}`,
      ratio: left,
      wanted: "below",
      target: WORDS.length / 4,
    },
  ];
}
