/**
 * The index over a home of 5,000 sessions, or 1,500 with `--quick`: the first list, a fill, searches, and an update
 * after one session has grown.
 */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, globSync, mkdirSync, rmSync, statSync, truncateSync, utimesSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Command,
  type Measurement,
  measure,
  printRatios,
  printTable,
  type Ratio,
} from "../measure/index.ts";
import { CORPUS, LARGE_CORPUS, makeCorpus } from "../sessions/corpus.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = process.env.CONTINUO_BENCH ?? join(homedir(), ".cache/continuo-bench");

/** Words of many and of few sessions, phrases, parts of names, and filters. */
const QUERIES: readonly (readonly string[])[] = [
  ["middle"],
  ["session", "reader"],
  ['"nothing may be lost"'],
  ["Straße", "-shown"],
  ["parse", "problems"],
  ["日本語"],
  ["agent:claude", "folds"],
  ["tool:Bash", "compares"],
  ["file:src", "stops"],
  ["since:60d", "another"],
  ["error:true", "place"],
  ["nothing0that0is0there"],
];

/** The options for commands that take many seconds. */
const SLOW = { rounds: 2, warmUp: false, memory: "during" } as const;

/** A word of nearly every session. */
const COMMON = "middle";

export async function run({
  quick,
  rounds,
}: {
  readonly quick: boolean;
  readonly rounds: number;
}): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const home = makeCorpus(quick ? CORPUS : LARGE_CORPUS, FOLDER);
  const cache = join(FOLDER, "index-home");
  const command = (name: string, args: readonly string[], before?: () => void): Command => ({
    name,
    argv: [process.execPath, join(ROOT, "bin/continuo.js"), ...args],
    env: { HOME: home, CONTINUO_HOME: cache, CI: "1" },
    ...(before === undefined ? {} : { before }),
  });
  const node: Command = { name: "node -e 0", argv: [process.execPath, "-e", "0"] };
  const forget = (): void => {
    for (const name of ["index.db", "index.db-journal"]) rmSync(join(cache, name), { force: true });
  };
  const first = measure(
    [
      node,
      command("continuo, newest 20, without an index", [], forget),
      command("session list --all, without an index", ["session", "list", "--all", "--json"], forget),
    ],
    { rounds },
  );
  const common = measure(
    [
      { name: `grep -rl ${COMMON}`, argv: ["grep", "-rl", COMMON, home] },
      command(`search ${COMMON}, without an index`, ["search", "--json", COMMON], forget),
    ],
    { ...SLOW, rounds: Math.min(rounds, SLOW.rounds) },
  );
  const fills = measure([command("index rebuild", ["index", "rebuild", "--json"])], { ...SLOW, rounds: 1 });
  const warm = measure(
    [
      node,
      command("continuo, newest 20", ["session", "list", "--json", "--limit", "20"]),
      command("session list --all", ["session", "list", "--all", "--json"]),
    ],
    { rounds },
  );
  const searches = measure(
    [node, ...QUERIES.map((words) => command(`search ${words.join(" ")}`, ["search", "--json", ...words]))],
    { rounds },
  );
  const answered = await whileAnswered(command("mcp", ["mcp"]), () =>
    measure(
      [
        node,
        command("session list --limit 20", ["session", "list", "--json", "--limit", "20"]),
        command("session list --all", ["session", "list", "--all", "--json"]),
        command(`search ${COMMON}`, ["search", "--json", COMMON]),
        command("search nothing0that0is0there", ["search", "--json", "nothing0that0is0there"]),
      ],
      { rounds },
    ),
  );
  const grown = measureGrown(home, rounds, (name, before) =>
    command(name, ["search", "--json", "nothing0that0is0there"], before),
  );
  for (const [title, rows] of [
    [`Without an index: ${basename(home)}`, first],
    ["A word of nearly every session, without an index", common],
    ["Fill", fills],
    ["With an index", warm],
    ["Search", searches],
    ["Answered by a running process", answered],
    ["Update", grown],
  ] as const) {
    printTable(title, rows);
  }
  const status = command("index status", ["index", "status", "--json"]);
  const sizes = JSON.parse(
    execFileSync(status.argv[0], status.argv.slice(1), { env: { ...status.env } }).toString(),
  );
  printRatios(ratiosOf({ first, common, fills, warm, searches, answered, grown, sizes }));
}

/** Measures lists and searches that a running process answers. */
async function whileAnswered(
  { argv: [program, ...args], env = {} }: Command,
  run: () => readonly Measurement[],
): Promise<readonly Measurement[]> {
  const server = spawn(program, args, {
    env: { PATH: process.env.PATH ?? "", ...env },
    stdio: ["pipe", "ignore", "inherit"],
  });
  const folder = join(env.CONTINUO_HOME ?? "", "running");
  while (globSync(join(folder, `*-${server.pid}`)).length === 0) await sleep(20);
  try {
    return run();
  } finally {
    const ended = once(server, "exit");
    server.stdin.end();
    await ended;
  }
}

type MakeCommand = (name: string, before: () => void) => Command;

/** Removes the records that were added to sessions of three sizes, because the home is created only once. */
function measureGrown(home: string, rounds: number, search: MakeCommand): Measurement[] {
  const files = globSync(join(home, ".claude/projects/*/*.jsonl"))
    .map((path) => ({ path, stat: statSync(path) }))
    .sort((a, b) => a.stat.size - b.stat.size);
  const chosen = [0.5, 0.9, 1].map((share) => files[Math.ceil(share * files.length) - 1]);
  const line = `${JSON.stringify({ type: "system", subtype: "informational", content: "x".repeat(1000) })}\n`;
  try {
    return measure(
      [
        search("nothing has changed", () => undefined),
        ...chosen.flatMap((file) => {
          if (file === undefined) return [];
          const size = (file.stat.size / 1e6).toFixed(1);
          return [search(`a session of ${size} MB has grown`, () => appendFileSync(file.path, line))];
        }),
      ],
      { rounds },
    );
  } finally {
    for (const file of chosen) {
      if (file === undefined) continue;
      truncateSync(file.path, file.stat.size);
      utimesSync(file.path, file.stat.atime, file.stat.mtime);
    }
  }
}

interface All {
  readonly first: readonly Measurement[];
  readonly common: readonly Measurement[];
  readonly fills: readonly Measurement[];
  readonly warm: readonly Measurement[];
  readonly searches: readonly Measurement[];
  readonly answered: readonly Measurement[];
  readonly grown: readonly Measurement[];
  /** The output of `index status`. */
  readonly sizes: { readonly sizeBytes: number; readonly sessionsBytes: number };
}

function ratiosOf({ first, common, fills, warm, searches, answered, grown, sizes }: All): Ratio[] {
  const [fill] = fills;
  const over = (rows: readonly Measurement[], at: number, base = 0): number =>
    (rows[at]?.medianMs ?? Number.NaN) / (rows[base]?.medianMs ?? Number.NaN);
  const times = searches.slice(1).flatMap(({ timesMs }) => timesMs);
  const p95 = times.sort((a, b) => a - b)[Math.ceil(0.95 * times.length) - 1] ?? Number.NaN;
  const more = Math.max(...grown.slice(1).map(({ medianMs }) => medianMs - (grown[0]?.medianMs ?? 0)));
  return [
    { what: "newest 20 / node -e 0", ratio: over(warm, 1), wanted: "below", target: 3 },
    { what: "all sessions / node -e 0", ratio: over(warm, 2), wanted: "below", target: 4 },
    {
      what: "newest 20 / all, both without an index",
      ratio: over(first, 1, 2),
      wanted: "below",
      target: 0.5,
    },
    {
      what: "a common word without an index / grep -rl",
      ratio: over(common, 1),
      wanted: "below",
      target: 3,
    },
    {
      what: "fill, in 20 MB/s",
      ratio: sizes.sessionsBytes / 20e3 / (fill?.medianMs ?? Number.NaN),
      wanted: "above",
      target: 1,
    },
    {
      what: "peak memory of a fill, in 300 MB",
      ratio: (fill?.peakBytes ?? Number.NaN) / 300e6,
      wanted: "below",
      target: 1,
    },
    { what: "index / sessions", ratio: sizes.sizeBytes / sizes.sessionsBytes, wanted: "below", target: 0.3 },
    {
      what: "search p95 / node -e 0",
      ratio: p95 / (searches[0]?.medianMs ?? Number.NaN),
      wanted: "below",
      target: 3,
    },
    { what: "newest 20, answered / node -e 0", ratio: over(answered, 1), wanted: "below", target: 1.5 },
    { what: "all sessions, answered / node -e 0", ratio: over(answered, 2), wanted: "below", target: 1.5 },
    { what: "a common word, answered / node -e 0", ratio: over(answered, 3), wanted: "below", target: 1.5 },
    { what: "search p95, in 120 ms", ratio: p95 / 120, wanted: "below", target: 1 },
    { what: "update after one session has grown, in 50 ms", ratio: more / 50, wanted: "below", target: 1 },
  ];
}
