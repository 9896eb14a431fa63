/**
 * A process that starts two agents and dies, or starts one and ends. It prints the numbers of the processes of each
 * agent: a daemon with a session of its own, a child, and the agent itself. None of them reacts to the end of its
 * input, to SIGTERM or to SIGHUP.
 *
 * Arguments: `agent`, or `witness` for an agent that verifies a hand-over; the way in which the process dies, or `end`,
 * or `forget`; the program of the agent, if it is not the deaf one.
 */

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startAgent } from "@continuo/agents/drivers/process";
import { talkTo } from "../../packages/agents/src/drivers/witness/program.ts";
import { childrenOf } from "./processes.ts";

const DEAF = `trap '' TERM HUP INT
setsid sleep 1000 & echo $!
sleep 1000 & echo $!
echo $$
while :; do sleep 1000; done`;

const [kind = "", how = "", ...other] = process.argv.slice(2);
const command = other.length > 0 ? other : ["sh", "-c", DEAF];
const searchPath = process.env.PATH ?? "";

interface Program {
  readonly lines: AsyncIterable<string | null>;
  end(): Promise<void>;
}

const STARTS: Readonly<Record<string, () => Promise<Program>>> = {
  agent: () => startAgent({ agent: "deaf", command, cwd: tmpdir(), env: { PATH: searchPath }, graceMs: 10 }),
  async witness() {
    const scratch = mkdtempSync(join(tmpdir(), "continuo-witness-"));
    const home = { home: scratch, env: {} };
    const place = { searchPath, scratch, project: scratch, file: "", home, sessionId: "", signal: undefined };
    const talk = talkTo({ staged: { program: command, ...place }, args: [], env: {} });
    return { lines: talk.lines, end: async () => talk[Symbol.asyncDispose]() };
  },
};

async function start(): Promise<Program> {
  const program = await STARTS[kind]?.();
  if (program === undefined) throw new Error(`what is ${kind}?`);
  let count = 0;
  for await (const line of program.lines) {
    print(`pid ${line}`);
    count += 1;
    if (count === 3) break;
  }
  return program;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const program = await start();
if (how === "end") {
  await program.end();
  print(`children ${childrenOf(process.pid).length}`);
} else if (how !== "forget") {
  await start();
  print("ready");
  process.stdin.once("data", die).once("end", () => process.exit());
  // The process must not end before it is killed.
  setInterval(() => undefined, 1_000);
}

function die(): void {
  if (how === "throw") JSON.parse("no JSON");
  else if (how === "exit") process.exit(3);
  else if (how === "abort") process.abort();
  else process.kill(process.pid, how);
}
