/**
 * The speed of reading native sessions, 5,000 or with `--quick` 1,500, compared with other programs and with the limit.
 */

import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import {
  type Command,
  type Measurement,
  measure,
  printRatios,
  printTable,
  type Ratio,
} from "../measure/index.ts";
import { makeConversation } from "./conversation.ts";
import { CORPUS, LARGE_CORPUS, makeCorpus } from "./corpus.ts";
import { installPeers } from "./peers.ts";
import { createRandom } from "./random.ts";
import { toClaude } from "./shapes/index.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = process.env.CONTINUO_BENCH ?? join(homedir(), ".cache/continuo-bench");
const LONG_SESSION_BYTES = 100e6;
/** Reading all sessions takes many seconds. */
const READ_ROUNDS = 2;

export interface BenchOptions {
  readonly quick: boolean;
  readonly rounds: number;
}

export function run({ quick, rounds }: BenchOptions): void {
  mkdirSync(FOLDER, { recursive: true });
  const home = makeCorpus(quick ? CORPUS : LARGE_CORPUS, FOLDER);
  const peers = installPeers(FOLDER);
  const measured = measure(listCommands(home, peers), { rounds });
  printTable(`List: ${home}`, measured);
  const starts = measure(startCommands(makeLongSession()), { rounds: Math.max(rounds, 9) });
  printTable("Start and first screen", starts);
  const reading = measure(readCommands(home), {
    rounds: Math.min(rounds, READ_ROUNDS),
    warmUp: false,
    memory: "during",
  });
  printTable("Read everything", reading);
  printRatios(ratiosOf([...measured, ...starts, ...reading]));
}

const continuo = (...args: string[]): Command["argv"] => [
  process.execPath,
  join(ROOT, "bin/continuo.js"),
  ...args,
];

function listCommands(home: string, peers: string): Command[] {
  const cache = join(FOLDER, "continuo-home");
  const env = { HOME: home, CONTINUO_HOME: cache, CI: "1" };
  const forget = (): void => rmSync(cache, { recursive: true, force: true });
  const sdk = `import { listSessions } from ${JSON.stringify(join(peers, "node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs"))};
    const sessions = await listSessions(); if (sessions.length === 0) throw new Error("nothing was listed");`;
  return [
    {
      name: "continuo list, all, cold",
      argv: continuo("session", "list", "--all", "--json"),
      env,
      before: forget,
    },
    { name: "continuo list, all, warm", argv: continuo("session", "list", "--all", "--json"), env },
    { name: "continuo list, 20, warm", argv: continuo("session", "list", "--json"), env },
    {
      name: "continuo list, claude, cold",
      argv: continuo("session", "list", "--all", "--json", "--agent", "claude"),
      env,
      before: forget,
    },
    {
      name: "claude-agent-sdk listSessions()",
      argv: [process.execPath, "--input-type=module", "-e", sdk],
      env,
    },
    {
      name: "ccusage daily --offline",
      argv: [process.execPath, join(peers, "node_modules/ccusage/src/cli.js"), "daily", "--offline"],
      env: { HOME: home },
      before: () => forgetCcusage(home),
    },
    {
      name: "codbash list",
      argv: [process.execPath, join(peers, "node_modules/codbash-app/bin/cli.js"), "list"],
      env: { HOME: home },
    },
    { name: "node -e 0", argv: [process.execPath, "-e", "0"] },
  ];
}

/** Its first run, without the cache that the run creates. */
function forgetCcusage(home: string): void {
  for (const folder of [".cache/ccusage", ".local/share/ccusage", ".config/ccusage"]) {
    rmSync(join(home, folder), { recursive: true, force: true });
  }
}

function startCommands(session: string): Command[] {
  const env = { HOME: FOLDER, CONTINUO_HOME: join(FOLDER, "continuo-home"), TERM: "xterm", PAGER: "cat" };
  const shown = continuo("session", "show", session)
    .map((arg) => `'${arg}'`)
    .join(" ");
  return [
    { name: "node -e 0 ", argv: [process.execPath, "-e", "0"] },
    { name: "continuo --version", argv: continuo("--version"), env },
    // The command gets its own terminal, because the measured time ends with the first screen there.
    { name: "continuo session show, 100 MB", argv: ["script", "-qec", shown, "/dev/null"], env },
  ];
}

function readCommands(home: string): Command[] {
  const program = join(import.meta.dirname, "read-everything.ts");
  const env = { HOME: home, CONTINUO_HOME: join(FOLDER, "continuo-home"), CI: "1" };
  return [
    { name: "continuo, every message", argv: [process.execPath, program, "sessions"], env },
    { name: "JSON.parse of the same bytes", argv: [process.execPath, program, "json"], env },
  ];
}

export function makeLongSession(): string {
  const folder = join(FOLDER, "long-session-v1");
  if (!existsSync(folder)) {
    const random = createRandom(7);
    const { lines } = toClaude(makeConversation(random, LONG_SESSION_BYTES * 0.78, 1), random, "/");
    mkdirSync(folder);
    writeFileSync(
      join(folder, "11111111-1111-4111-8111-111111111111.jsonl"),
      lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
    );
  }
  return join(folder, readdirSync(folder)[0] ?? "");
}

function ratiosOf(measured: readonly Measurement[]): Ratio[] {
  const median = (name: string): number => measured.find((one) => one.name === name)?.medianMs ?? Number.NaN;
  const over = (a: string, b: string): number => median(a) / median(b);
  const peak = measured.find((one) => one.name === "continuo list, all, cold")?.peakBytes ?? Number.NaN;
  return [
    {
      what: "list cold / ccusage's first run",
      ratio: over("continuo list, all, cold", "ccusage daily --offline"),
      wanted: "below",
      target: 0.25,
    },
    {
      what: "list of Claude's part cold / SDK listSessions()",
      ratio: over("continuo list, claude, cold", "claude-agent-sdk listSessions()"),
      wanted: "below",
      target: 0.2,
    },
    {
      what: "list cold / codbash list",
      ratio: over("continuo list, all, cold", "codbash list"),
      wanted: "below",
      target: 1,
    },
    {
      what: "list warm / node -e 0",
      ratio: over("continuo list, all, warm", "node -e 0"),
      wanted: "below",
      target: 3,
    },
    { what: "peak memory of a cold list, in 150 MB", ratio: peak / 150e6, wanted: "below", target: 1 },
    {
      what: "first screen of a 100 MB session / node -e 0",
      ratio: over("continuo session show, 100 MB", "node -e 0 "),
      wanted: "below",
      target: 6,
    },
    {
      what: "continuo --version / node -e 0",
      ratio: over("continuo --version", "node -e 0 "),
      wanted: "below",
      target: 1.5,
    },
    {
      what: "speed of reading everything / JSON.parse",
      ratio: over("JSON.parse of the same bytes", "continuo, every message"),
      wanted: "above",
      target: 0.7,
    },
  ];
}
