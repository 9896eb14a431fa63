/** Commands in processes of their own: lists, searches, the index, the start, the first screen, the library, readers. */

import { execFileSync } from "node:child_process";
import { globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Command, type Measurement, measure } from "../measure/index.ts";
import { makeLongSession } from "../sessions/bench.ts";
import { CORPUS, LARGE_CORPUS, makeCorpus } from "../sessions/corpus.ts";
import { installPeers } from "../sessions/peers.ts";
import { createRandom } from "../sessions/random.ts";
import { makeWords } from "../sessions/vocabulary.ts";
import { above, below, type Rows, type WaitsOptions } from "./rows.ts";

const ROOT = join(import.meta.dirname, "../..");
const BIN = join(ROOT, "bin/continuo.js");
const QUERIES = 40;

const NODE: Command = { name: "node -e 0", argv: [process.execPath, "-e", "0"] };

export function commandRows(options: WaitsOptions): Rows {
  const home = makeCorpus(options.quick ? CORPUS : LARGE_CORPUS, options.folder);
  const env = { HOME: home, CONTINUO_HOME: join(options.folder, "index-home"), CI: "1" };
  const continuo = (name: string, ...args: string[]): Command => ({
    name,
    argv: [process.execPath, BIN, ...args],
    env,
  });
  const ours: Ours = { home, env, continuo, ...options };
  return [
    ...indexRows(ours),
    ...listRows(ours),
    ...searchRows(ours),
    ...coldRows(ours),
    ...readerRows(ours),
    ...libraryRows(ours),
    ...startRows(ours),
  ];
}

interface Ours extends WaitsOptions {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly continuo: (name: string, ...args: string[]) => Command;
}

/** The ratio of the medians of the processor times. */
function ratioOf([first, second]: readonly Measurement[]): number {
  return (first?.cpuMs ?? Number.NaN) / (second?.cpuMs ?? Number.NaN);
}

function clockRatioOf([first, second]: readonly Measurement[]): number {
  return (first?.medianMs ?? Number.NaN) / (second?.medianMs ?? Number.NaN);
}

function indexRows({ continuo, env }: Ours): Rows {
  const [fill] = measure([continuo("fill", "index", "rebuild", "--json")], { rounds: 1 });
  const status = execFileSync(process.execPath, [BIN, "index", "status", "--json"], {
    env: { ...process.env, ...env },
  });
  const { sizeBytes, sessionsBytes } = JSON.parse(status.toString());
  const speed = sessionsBytes / 1e3 / (fill?.cpuMs ?? Number.NaN);
  const work = "index from nothing, real words";
  return [
    {
      ...{ work: `${work}, MB/s`, before: "15", now: speed, wanted: above(25), by: "processor" },
      from: `${(sessionsBytes / 1e6).toFixed(0)} MB`,
    },
    {
      ...{ work: `${work}, size`, before: "0.36", now: sizeBytes / sessionsBytes, wanted: below(0.25) },
      ...{ by: "size", from: "index / sessions" },
    },
    {
      ...{ work: `${work}, memory in MB`, before: "", now: (fill?.peakBytes ?? Number.NaN) / 1e6 },
      ...{ wanted: below(300), by: "size", from: "peak of the process" },
    },
  ];
}

function listRows({ continuo, rounds }: Ours): Rows {
  const rowOf = (work: string, before: string, than: number, ...args: string[]): Rows[number] => ({
    ...{ work, before, wanted: below(than), by: "processor", from: "median / `node -e 0`" },
    now: ratioOf(measure([continuo(work, ...args), NODE], { rounds: Math.max(rounds, 9) })),
  });
  return [
    rowOf("`continuo list` (20), warm", "9.9", 3, "session", "list", "--json", "--limit", "20"),
    rowOf("`continuo list`, all as JSON", "15", 4, "session", "list", "--all", "--json"),
  ];
}

/** From words of most sessions to words of one, as a person asks. */
function queries(): readonly string[] {
  const words = makeWords();
  const random = createRandom(31);
  return Array.from({ length: QUERIES }, (_, at) => {
    const most = 10 ** (1 + (3.7 * at) / QUERIES);
    return words[random.int(0, Math.min(words.length - 1, Math.round(most)))] ?? "middle";
  });
}

function searchRows({ continuo, home }: Ours): Rows {
  const asked = queries();
  const searched = measure(
    asked.map((word) => continuo(word, "search", "--json", word)),
    { rounds: 1 },
  );
  const scanner = hasProgram("rg") ? "rg -l" : "grep -rl";
  const [program = "grep", ...flags] = scanner.split(" ");
  const scanned = measure(
    asked.map((word): Command => ({ name: word, argv: [program, ...flags, "-e", word, home] })),
    { rounds: 1 },
  );
  const p95 = (all: readonly Measurement[]): number =>
    all.map(({ cpuMs }) => cpuMs).toSorted((a, b) => a - b)[Math.ceil(0.95 * all.length) - 1] ?? Number.NaN;
  const work = `\`search\`, 95 % of ${QUERIES} queries`;
  return [
    {
      ...{ work: `${work}, ms`, before: "474 to 735", now: p95(searched), wanted: below(120) },
      ...{ by: "processor", from: "one process each" },
    },
    {
      ...{ work: `${work} / ${scanner}`, before: "4 to 5", now: p95(searched) / p95(scanned) },
      ...{ wanted: below(1), by: "processor", from: `${p95(scanned).toFixed(0)} ms of ${scanner}` },
    },
  ];
}

function hasProgram(name: string): boolean {
  return (process.env.PATH ?? "").split(":").some((folder) => globSync(join(folder, name)).length > 0);
}

/** Other programs use several processors, and so does a list without an index: by the clock. */
function coldRows({ home, folder, quick, rounds }: Ours): Rows {
  const peers = installPeers(folder);
  const cache = join(folder, "cold-home");
  const cold = (name: string, ...more: string[]): Command => ({
    name,
    argv: [process.execPath, BIN, "session", "list", "--all", "--json", ...more],
    env: { HOME: home, CONTINUO_HOME: cache, CI: "1" },
    before: () => rmSync(cache, { recursive: true, force: true }),
  });
  const sdk = `import { listSessions } from ${JSON.stringify(join(peers, "node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs"))};
    if ((await listSessions()).length === 0) throw new Error("nothing was listed");`;
  const few = { rounds: quick ? Math.min(rounds, 3) : rounds };
  const ccusage = measure(
    [
      cold("list, all"),
      {
        name: "ccusage daily",
        argv: [process.execPath, join(peers, "node_modules/ccusage/src/cli.js"), "daily", "--offline"],
        env: { HOME: home },
        before: () => {
          for (const one of [".cache/ccusage", ".local/share/ccusage", ".config/ccusage"])
            rmSync(join(home, one), { recursive: true, force: true });
        },
      },
    ],
    few,
  );
  const claude = measure(
    [
      cold("list, claude", "--agent", "claude"),
      { name: "the SDK's", argv: [process.execPath, "--input-type=module", "-e", sdk], env: { HOME: home } },
    ],
    few,
  );
  return [
    {
      ...{ work: "list without an index / ccusage's first run", before: "2.1", now: clockRatioOf(ccusage) },
      ...{ wanted: below(0.9), by: "clock", from: fromOf(ccusage) },
    },
    {
      ...{ work: "Claude's part without an index / the SDK's list", before: "0.60" },
      ...{ now: clockRatioOf(claude), wanted: below(0.3), by: "clock", from: fromOf(claude) },
    },
  ];
}

function fromOf([first, second]: readonly Measurement[]): string {
  return `${first?.medianMs.toFixed(0)} / ${second?.medianMs.toFixed(0)} ms`;
}

function readerRows({ home, folder, rounds }: Ours): Rows {
  const program = join(ROOT, "bench/sessions/read-everything.ts");
  const env = { HOME: home, CONTINUO_HOME: join(folder, "reading-home"), CI: "1" };
  return (
    [
      ["all agents", [], "0.52 to 0.57", 0.65],
      ["Gemini", ["gemini"], "0.23", 0.5],
      ["opencode", ["opencode"], "0.20", 0.5],
    ] as const
  ).map(([name, agents, before, than]) => {
    const both = ["json", "sessions"].map(
      (what): Command => ({ name: what, argv: [process.execPath, program, what, ...agents], env }),
    );
    const now = ratioOf(measure(both, { rounds: Math.min(rounds, 3) }));
    const work = `reading / \`JSON.parse\`, ${name}`;
    return { work, before, now, wanted: above(than), by: "processor", from: "speeds of whole processes" };
  });
}

function libraryRows({ rounds }: Ours): Rows {
  return (
    [
      ["continuo", "dist/index.js", "7.4", 2.5],
      ["continuo/store", "dist/store/store/index.js", "", 1.8],
    ] as const
  ).map(([name, file, before, than]) => {
    const code = `import ${JSON.stringify(join(ROOT, file))};`;
    const loading: Command = { name, argv: [process.execPath, "--input-type=module", "-e", code] };
    const now = ratioOf(measure([loading, NODE], { rounds: Math.max(rounds, 15) }));
    return {
      work: `\`import "${name}"\``,
      before,
      now,
      wanted: below(than),
      by: "processor",
      from: "/ `node -e 0`",
    };
  });
}

function startRows({ folder, rounds }: Ours): Rows {
  const many = { rounds: Math.max(rounds, 9) };
  const env = { HOME: folder, CONTINUO_HOME: join(folder, "continuo-home"), TERM: "xterm", PAGER: "cat" };
  const shown = [process.execPath, BIN, "session", "show", makeLongSession()]
    .map((arg) => `'${arg}'`)
    .join(" ");
  const screen: Command = { name: "show", argv: ["script", "-qec", shown, "/dev/null"], env };
  const older = olderNode();
  const version = (node: string): Command => ({ name: node, argv: [node, BIN, "--version"], env });
  return [
    {
      ...{
        work: "first screen of 100 MB / Node",
        before: "6.1",
        now: ratioOf(measure([screen, NODE], many)),
      },
      ...{ wanted: below(4), by: "processor", from: "/ `node -e 0`, in a terminal" },
    },
    older === undefined
      ? { work: "started by an older system Node", missing: "this machine has none" }
      : {
          ...{ work: "started by an older system Node, ms more", before: "45 to 65", wanted: below(20) },
          now: differenceOf(measure([version(older), version(process.execPath)], many)),
          ...{ by: "clock", from: "`--version`, medians" },
        },
  ];
}

function differenceOf([first, second]: readonly Measurement[]): number {
  return (first?.medianMs ?? Number.NaN) - (second?.medianMs ?? Number.NaN);
}

function olderNode(): string | undefined {
  return (process.env.PATH ?? "")
    .split(":")
    .flatMap((folder) => globSync(join(folder, "node")))
    .find((path) => Number(execFileSync(path, ["--version"]).toString().slice(1).split(".")[0]) < 24);
}
