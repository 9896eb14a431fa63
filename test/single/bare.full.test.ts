/**
 * Each way to install Continuo on a machine that has only Node, npm and git, and one way with only a shell: it is
 * installed, lists sessions, is set up in an agent, and is removed again. A server on this machine serves the files of
 * a release.
 */

import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { builtExtension } from "../sizes/shared-programs.ts";
import { sampleStore, writeOlderStore } from "../store/harness/older-store.ts";
import { addOlderVersion, writeRegistry } from "./registry.ts";

const ROOT = join(import.meta.dirname, "../..");
const release = scratchFolder("bare-release");
const tools = scratchFolder("bare-tools");
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };

const OLDER = "0.0.9";

let server: ChildProcess;
let address: string;

beforeAll(async () => {
  server = spawn(process.execPath, [join(ROOT, "bench/install/serve.ts"), release], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [printed]: Buffer[] = await once(server.stdout as NonNullable<typeof server.stdout>, "data");
  address = String(printed).trim();
  const extension = await builtExtension();
  execFileSync(process.execPath, [join(ROOT, "scripts/installers.ts"), release, address, extension], {
    stdio: "ignore",
  });
  writeRegistry(join(release, "registry"), `${address}/registry`);
  addOlderVersion(join(release, "registry"), `${address}/registry`, OLDER);
  await writeOlderStore(join(release, "older.db"), await sampleStore(), 2);
  // A machine that has only a shell cannot download anything.
  mkdirSync(join(tools, "curl"));
  copyFileSync("/usr/bin/curl", join(tools, "curl/curl"));
}, 600_000);
afterAll(() => server.kill());

interface Way {
  /** Options of `scripts/bare.sh`, which name the programs that it hides in addition. */
  readonly flags?: readonly string[];
  /** A folder that is added to the search path. */
  readonly path: string;
  /** Names of programs that the machine must not have. */
  readonly absent: string;
  readonly install: string;
  readonly program: string;
  readonly remove: string;
  /** Files and folders in the home that may stay; `docs/install.md` names them. */
  readonly stays: readonly string[];
}

const SETTINGS = ["~/.continuo/guard/settings.json", "~/.continuo/mcp-registrations.json"];
const CACHE = "~/.continuo/cache/";
const NPM_CACHE = "~/.npm/";

/** Downloads with the programs that the machine has. */
const GET = `get() { node -e 'fetch(process.argv[1]).then(async (answer) =>
  process.stdout.write(Buffer.from(await answer.arrayBuffer())))' "$address/$1"; }`;
const REGISTRY = 'export npm_config_registry="$address/registry" npm_config_prefix="$HOME/.local"';
const node = dirname(process.execPath);

const SCRIPT: Way = {
  path: node,
  absent: "curl wget",
  install: `${GET}; get install.sh | sh`,
  program: "$HOME/.local/bin/continuo",
  remove: "get install.sh | sh -s -- --uninstall",
  stays: SETTINGS,
};

const WAYS: readonly (readonly [name: string, way: Way])[] = [
  ["install.sh", SCRIPT],
  [
    "install.sh with nothing but a shell and curl",
    {
      ...SCRIPT,
      flags: ["--shell"],
      path: join(tools, "curl"),
      absent: "node npm npx git wget",
      install: 'get() { curl -fsS "$address/$1"; }; get install.sh | sh',
    },
  ],
  [
    "npm install --global",
    {
      path: node,
      absent: "curl wget",
      install: `${REGISTRY}; npm install --global continuo`,
      program: "$HOME/.local/bin/continuo",
      remove: "npm uninstall --global continuo",
      stays: [...SETTINGS, CACHE, NPM_CACHE],
    },
  ],
  [
    "the package of Debian",
    {
      path: node,
      absent: "curl wget",
      install: `${GET}; get continuo_${version}_amd64.deb >"$TMPDIR/continuo.deb"; root=$TMPDIR/root
        mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"; : >"$root/var/lib/dpkg/status"
        debian() { dpkg --root="$root" --force-depends --force-not-root "$@"; }
        debian --install "$TMPDIR/continuo.deb"; rm "$TMPDIR/continuo.deb"`,
      program: "$TMPDIR/root/usr/bin/continuo",
      remove: 'debian --remove continuo; rm -r "$root/var/lib/dpkg"',
      stays: [...SETTINGS, CACHE, "~/.continuo/app/"],
    },
  ],
];

/** Runs the steps on a bare machine. Returns the output of each step by its name. */
function onBareMachine(
  { flags = [], path, absent, install }: Pick<Way, "flags" | "path" | "absent" | "install">,
  steps: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const script = `set -eu
    address=$1 PATH=$2:$PATH TMPDIR=$HOME/tmp
    export PATH TMPDIR
    cd; mkdir .claude tmp
    for name in ${absent}; do ! command -v $name || exit 3; done
    ${install}
    ${Object.entries(steps)
      .map(([name, step]) => `echo "== ${name}"; ${step}`)
      .join("\n")}`;
  const bare = join(ROOT, "scripts/bare.sh");
  const env = { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR };
  const run = spawnSync(bare, [...flags, "sh", "-c", script, "sh", address, path], { encoding: "utf8", env });
  expect([run.status, run.stderr], run.stdout).toEqual([0, expect.anything()]);
  const parts = run.stdout.split(/^== (.+)\n/mu).slice(1);
  return Object.fromEntries(
    parts.flatMap((part, at) => (at % 2 === 0 ? [[part, parts[at + 1] ?? ""] as const] : [])),
  );
}

/** Returns the files in the home that `stays` does not name. */
function leftBehind(found: string | undefined, stays: readonly string[]): readonly string[] {
  const page = readFileSync(join(ROOT, "docs/install.md"), "utf8");
  for (const name of stays) expect(page).toContain(`\`${name}\``);
  return (found ?? "")
    .split("\n")
    .filter(Boolean)
    .map((path) => path.replace("./", "~/"))
    .filter((path) => !stays.some((name) => (name.endsWith("/") ? path.startsWith(name) : path === name)));
}

/** npm has a cache of compiled code among the temporary files, whatever it installs. */
const FILES = "find . -type f -not -path './tmp/node-compile-cache/*'";

test.each(WAYS)(
  "%s: Continuo is installed, lists, is set up in an agent and undone, and is removed",
  (_, way) => {
    const { program, remove, stays } = way;
    const done = onBareMachine(way, {
      version: `"${program}" --version`,
      list: `"${program}" list`,
      plan: `"${program}" setup --dry-run; [ ! -e .claude.json ]`,
      setup: `"${program}" setup --yes; grep -l continuo .claude.json .claude/settings.json`,
      undo: `"${program}" setup --undo --yes; find . -type f -path './.claude*'`,
      remove,
      left: FILES,
    });
    expect(done.version).toBe(`${version}\n`);
    expect(done.list).toContain("No sessions found");
    expect(done.plan).toMatch(/^claude +MCP server +new file +~\/\.claude\.json$/mu);
    expect(done.setup).toMatch(/\n\.claude\.json\n\.claude\/settings\.json\n$/u);
    expect(done.undo).toMatch(/taken out of these files\..*\n$/u);
    expect(leftBehind(done.left, stays)).toEqual([]);
  },
);

test("npx: lists, shows what an installed Continuo would add, and adds nothing", () => {
  const npx = "npx --yes continuo";
  const way = { path: node, absent: "curl wget", install: REGISTRY };
  const done = onBareMachine(way, {
    list: `${npx} list 2>"$TMPDIR/npx"`,
    warnings: 'cat "$TMPDIR/npx"; rm "$TMPDIR/npx"',
    plan: `${npx} setup --dry-run`,
    setup: `if ${npx} setup --yes; then exit 4; fi`,
    undo: `${npx} setup --undo --yes`,
    left: FILES,
  });
  expect(done.list).toContain("No sessions found");
  expect(done.warnings).toBe("");
  expect(done.plan).toMatch(/^claude +MCP server +new file +~\/\.claude\.json$/mu);
  expect(done.undo).toMatch(/nothing to do/u);
  expect(leftBehind(done.left, [NPM_CACHE])).toEqual([]);
});

test("npm install --global over an older version keeps using its home, with a copy of the store", () => {
  const program = '"$HOME/.local/bin/continuo"';
  const install = `${REGISTRY}; npm install --global continuo@${OLDER}; ${GET}
    mkdir -m 700 .continuo; get older.db >.continuo/continuo.db`;
  const done = onBareMachine(
    { path: node, absent: "curl wget", install },
    {
      before: `${program} --version`,
      upgrade: "npm install --global continuo",
      after: `${program} --version`,
      refused: `${program} list --agent continuo --json 2>"$TMPDIR/said" || :; cat "$TMPDIR/said"`,
      migrate: `${program} store migrate`,
      list: `${program} list --agent continuo --json`,
      copies: "ls .continuo/continuo.db.before-migration-2",
    },
  );
  expect([done.before, done.after]).toEqual([`${OLDER}\n`, `${version}\n`]);
  expect(done.upgrade).toMatch(/changed \d+ package/u);
  expect(done.refused).toContain("Run `continuo store migrate`");
  expect(JSON.parse(done.list ?? "")).toMatchObject([{ agent: "continuo", sessionId: "s", title: "T" }]);
  expect(done.copies).toContain("before-migration-2");
});
