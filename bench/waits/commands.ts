/** Commands in separate processes: lists, the index, the start, the first screen, the library, readers. */

import { execFileSync } from "node:child_process";
import { globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Command, type Measurement, measure } from "../measure/index.ts";
import { startContinuo } from "../server/servers.ts";
import { makeLongSession } from "../sessions/bench.ts";
import { CORPUS, LARGE_CORPUS, makeCorpus } from "../sessions/corpus.ts";
import { installPeers } from "../sessions/peers.ts";
import { type BenchCommands, BIN, clockRatioOf, NODE, ROOT, ratioOf } from "./bench-commands.ts";
import type { Rows, WaitsOptions } from "./rows.ts";
import { QUERIES, searchRows } from "./searches.ts";
import { measured, notMeasured, OF_ASKING } from "./targets.ts";

export async function commandRows(options: WaitsOptions): Promise<Rows> {
  const size = options.quick ? CORPUS : LARGE_CORPUS;
  const home = makeCorpus(size, options.folder);
  const env = { HOME: home, CONTINUO_HOME: join(options.folder, "index-home"), CI: "1" };
  const continuo = (name: string, ...args: string[]): Command => ({
    name,
    argv: [process.execPath, BIN, ...args],
    env,
  });
  const ofSessions = `${size.sessions.toLocaleString("en")} sessions`;
  const ours: BenchCommands = { home, env, continuo, ofSessions, ...options };
  return [
    ...indexRows(ours),
    ...listRows(ours),
    ...searchRows(ours),
    ...(await servedRows(ours)),
    ...coldRows(ours),
    ...readerRows(ours),
    ...libraryRows(ours),
    ...startRows(ours),
  ];
}

function indexRows({ continuo, env, ofSessions }: BenchCommands): Rows {
  const [fill] = measure([continuo("fill", "index", "rebuild", "--json")], { rounds: 1 });
  const status = execFileSync(process.execPath, [BIN, "index", "status", "--json"], {
    env: { ...process.env, ...env },
  });
  const { sizeBytes, sessionsBytes } = JSON.parse(status.toString());
  const speed = sessionsBytes / 1e3 / (fill?.cpuMs ?? Number.NaN);
  return [
    measured("indexSpeed", speed, `${ofSessions}, ${(sessionsBytes / 1e6).toFixed(0)} MB`),
    measured("indexSize", sizeBytes / sessionsBytes, `index / ${ofSessions}`),
    measured("indexMemory", (fill?.peakBytes ?? Number.NaN) / 1e6, `peak of the process, ${ofSessions}`),
  ];
}

function listRows({ continuo, ofSessions, rounds }: BenchCommands): Rows {
  const rowOf = (name: "list" | "listPlain" | "listAll", ...args: string[]): Rows[number] => {
    const both = measure([continuo(name, ...args), NODE], { rounds: Math.max(rounds, 9), memory: "none" });
    return measured(name, ratioOf(both), `median / \`node -e 0\`, ${ofSessions}`);
  };
  return [
    rowOf("list", "session", "list", "--json", "--limit", "20"),
    rowOf("listPlain", "list"),
    rowOf("listAll", "session", "list", "--json", "--all"),
  ];
}

/** A running server answers these commands. */
async function servedRows({ continuo, env, folder, ofSessions, rounds }: BenchCommands): Promise<Rows> {
  const { CI: _, ...own } = env;
  const withHome = ["env", "-u", "CI", ...Object.entries(own).map(([name, value]) => `${name}=${value}`)];
  const server = await startContinuo(folder, "served", withHome);
  try {
    const rowOf = (name: "servedList" | "servedSearch", ...args: string[]): Rows[number] => {
      const both = measure([continuo(name, ...args), NODE], { rounds: Math.max(rounds, 9), memory: "none" });
      return measured(name, ratioOf(both), `median / \`node -e 0\`, ${ofSessions}; ${OF_ASKING[name]}`);
    };
    return [
      rowOf("servedList", "session", "list", "--json", "--limit", "20"),
      rowOf("servedSearch", "search", "--json", QUERIES[QUERIES.length / 2] ?? ""),
    ];
  } finally {
    await server.stop();
  }
}

/** These are measured by the clock, because other programs, and a list without an index, use several processors. */
function coldRows({ home, folder, ofSessions, quick, rounds }: BenchCommands): Rows {
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
  const few = { rounds: quick ? Math.min(rounds, 3) : rounds, memory: "none" } as const;
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
    measured("coldList", clockRatioOf(ccusage), `${fromOf(ccusage)}, ${ofSessions}`),
    measured("coldClaude", clockRatioOf(claude), `${fromOf(claude)}, those among ${ofSessions}`),
  ];
}

function fromOf([first, second]: readonly Measurement[]): string {
  return `${first?.medianMs.toFixed(0)} / ${second?.medianMs.toFixed(0)} ms`;
}

function readerRows({ home, folder, ofSessions, rounds }: BenchCommands): Rows {
  const program = join(ROOT, "bench/sessions/read-everything.ts");
  const env = { HOME: home, CONTINUO_HOME: join(folder, "reading-home"), CI: "1" };
  return (
    [
      ["reading", []],
      ["readingGemini", ["gemini"]],
      ["readingOpencode", ["opencode"]],
    ] as const
  ).map(([name, agents]) => {
    const both = ["json", "sessions"].map(
      (what): Command => ({ name: what, argv: [process.execPath, program, what, ...agents], env }),
    );
    const measurements = measure(both, { rounds: Math.min(rounds, 3), warmUp: false, memory: "none" });
    const byClock = clockRatioOf(measurements).toFixed(2);
    const which = agents.length === 0 ? ofSessions : `those among ${ofSessions}`;
    const from = `speeds of whole processes, ${which}; ${byClock} by the clock`;
    return measured(name, ratioOf(measurements), from);
  });
}

function libraryRows({ rounds }: BenchCommands): Rows {
  return (
    [
      ["library", "dist/index.js"],
      ["libraryStore", "dist/store/store/index.js"],
    ] as const
  ).map(([name, file]) => {
    const code = `import ${JSON.stringify(join(ROOT, file))};`;
    const loading: Command = { name, argv: [process.execPath, "--input-type=module", "-e", code] };
    const now = ratioOf(measure([loading, NODE], { rounds: Math.max(rounds, 15), memory: "none" }));
    return measured(name, now, "/ `node -e 0`");
  });
}

function startRows({ folder, rounds }: BenchCommands): Rows {
  const many = { rounds: Math.max(rounds, 9), memory: "none" } as const;
  const env = { HOME: folder, CONTINUO_HOME: join(folder, "continuo-home"), TERM: "xterm", PAGER: "cat" };
  const shown = [process.execPath, BIN, "session", "show", makeLongSession()]
    .map((arg) => `'${arg}'`)
    .join(" ");
  const screen: Command = { name: "show", argv: ["script", "-qec", shown, "/dev/null"], env };
  const older = olderNode();
  const version = (node: string): Command => ({ name: node, argv: [node, BIN, "--version"], env });
  return [
    measured("firstScreen", ratioOf(measure([screen, NODE], many)), "/ `node -e 0`, in a terminal"),
    older === undefined
      ? notMeasured("olderNode", "this machine has none")
      : measured(
          "olderNode",
          differenceOf(measure([version(older), version(process.execPath)], many)),
          "`--version`, medians",
        ),
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
