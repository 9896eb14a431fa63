/** A hand-over that cannot be completed gives an error with its code, and leaves no partial files. */

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { HOME_VARIABLES, handOff, type Places, renameNativeSession } from "@continuo/agents";
import { AGENT_NAMES, type AgentName } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { beforeEach, describe, expect, test } from "vitest";
import { ageBy, snapshotOf } from "../agents/proof.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";
import { tested } from "../tested-agents.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");
const ID = "5f0c2b1e-7d43-4a86-9a55-0c1f2e3d4b5a";
const NATIVE = tested(({ ownFolder }) => ownFolder);

let home: string;
let cwd: string;
let places: Places;

const CHILD = await bundledProgram("test/hand-off/refused-child.ts");

beforeEach(() => {
  home = scratchFolder("refused");
  cwd = join(home, "project");
  mkdirSync(cwd);
  places = { home, env: {} };
  cpSync(join(FIXTURES, "claude/parallel-tools/home"), join(home, "source"), { recursive: true });
  cpSync(join(FIXTURES, "opencode/image/home"), join(home, ".local/share"), { recursive: true });
});

/** Runs the program in a separate mount namespace, where the target's folder is a small file system. */
function handOffOnto(to: AgentName, mounting: string): { code: string; files: string[] } {
  const folder = join(home, NATIVE[to]);
  mkdirSync(folder, { recursive: true });
  const source = join(home, "source/projects/-home-dev-project", `${ID}.jsonl`);
  const asRoot = process.getuid?.() === 0 ? [] : ["--map-root-user"];
  const script = `set -e; cp -a "$1" "$2"; mount -t tmpfs tmpfs "$1"; cp -a "$2/." "$1"; ${mounting}; shift 2; exec "$@"`;
  const command = [process.execPath, CHILD, source, to, cwd, folder];
  const { status, stdout, stderr } = spawnSync(
    "unshare",
    ["--mount", ...asRoot, "sh", "-c", script, "sh", folder, join(home, "copied"), ...command],
    { encoding: "utf8", env: { PATH: process.env.PATH, HOME: home, TMPDIR: tmpdir() } },
  );
  if (status !== 0) throw new Error(`${status}: ${stderr}`);
  return JSON.parse(stdout);
}

/** The user `nobody`, who owns no files and has the same number on every system. */
const NOBODY = 65_534;

interface Refused {
  readonly code: string;
  /** Returns everything in the target's folder. */
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * If the tests run as root, it runs as the user nobody, with a home that this user may only read; otherwise the folder
 * is read-only.
 */
async function handOffAsAnother(to: AgentName): Promise<Refused> {
  const folder = join(home, NATIVE[to]);
  mkdirSync(folder, { recursive: true });
  const continuo = join(home, "continuo");
  mkdirSync(continuo);
  const isRoot = process.getuid?.() === 0;
  const writable = scratchFolder("writable");
  try {
    cpSync(join(FIXTURES, "opencode/image/home"), join(writable, ".local/share"), { recursive: true });
    if (isRoot) chmodSync(home, 0o755);
    for (const name of isRoot ? [] : ["", ...readdirSync(folder)]) chmodSync(join(folder, name), 0o555);
    if (isRoot) chmodSync(continuo, 0o777);
    const before = await snapshotOf(folder);
    const source = join(home, "source/projects/-home-dev-project", `${ID}.jsonl`);
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [CHILD, source, to, cwd, folder, ...(isRoot ? [String(NOBODY), writable] : [])],
      { encoding: "utf8", env: { PATH: process.env.PATH, HOME: home, CONTINUO_HOME: continuo } },
    );
    if (status !== 0) throw new Error(`${status}: ${stderr}`);
    return { code: JSON.parse(stdout).code, before, after: await snapshotOf(folder) };
  } finally {
    chmodSync(folder, 0o755);
    rmSync(writable, { recursive: true, force: true });
  }
}

/** The files that must be unchanged; a database also has SQLite's two files. */
const thereAlready = (to: AgentName): string[] => (to === "opencode" ? ["opencode.db"] : []);
const withoutTraces = (files: readonly string[]): string[] =>
  files.filter((name) => !/-(?:wal|shm)$/u.test(name));

describe.each(AGENT_NAMES)("to %s", (to) => {
  test("a full disk", async () => {
    const fill =
      'mount -o remount,size=1m "$1"; head -c 2m /dev/zero > "$1/../zero"; cat "$1/../zero" > "$1/full" 2>/dev/null || true';
    const { code, files } = handOffOnto(to, fill);
    expect(code).toBe("unwritable");
    expect(withoutTraces(files)).toEqual([...thereAlready(to), "full"].toSorted());
    await using store = await openStore(`sqlite:${join(home, ".continuo/continuo.db")}`);
    // Only the tombstone of a withdrawn log remains.
    expect((await store.listLogs({ prefix: "handoff/" })).items).toEqual([]);
  });

  test("a folder of another user", async () => {
    const { code, before, after } = await handOffAsAnother(to);
    expect(code).toBe("unwritable");
    expect(after).toEqual(before);
    await using store = await openStore(`sqlite:${join(home, "continuo/continuo.db")}`);
    expect((await store.listLogs({ prefix: "handoff/" })).items).toEqual([]);
  });

  test("a folder on a read-only disk", () => {
    const { code, files } = handOffOnto(to, 'mount -o remount,ro "$1"');
    expect(code).toBe("unwritable");
    expect(withoutTraces(files)).toEqual(thereAlready(to));
  });
});

/** The one file that a new title of the fixture's session goes to. */
const RENAMED: Readonly<Record<AgentName, unknown>> = {
  claude: `claude/projects/-home-dev-project/${ID}.jsonl`,
  codex: "codex/session_index.jsonl",
  gemini: expect.stringMatching(/^gemini\/\.gemini\/tmp\/project\/chats\/[^/]+\.jsonl$/u),
  pi: expect.stringMatching(/^pi\/sessions\/--home-dev-project--\/[^/]+\.jsonl$/u),
  opencode: "opencode/opencode/opencode.db",
  copilot: expect.stringMatching(/^copilot\/session-state\/[^/]+\/workspace\.yaml$/u),
};

/** Prints another conversation, in the form of `opencode export`. */
const LIAR = `#!/bin/sh
if [ "$1" = export ]; then
  printf '{"info":{"id":"%s"},"messages":[{"info":{"id":"msg_1","role":"user","sessionID":"%s","time":{"created":1}},"parts":[{"id":"prt_1","sessionID":"%s","messageID":"msg_1","type":"text","text":"Something else."}]}]}' "$2" "$2" "$2"
fi
`;

describe("a target that cannot read the new session", () => {
  const everything = async (): Promise<unknown> => {
    const { "": _root, ...others } = await snapshotOf(home);
    return others;
  };

  const ENDS = {
    "cannot be started": ["/nowhere/agent"],
    "ends with an error": [process.execPath, "-e", "process.exit(1)"],
  };
  const cases = AGENT_NAMES.flatMap((to) =>
    Object.entries(ENDS).map(([what, words]) => ({ to, what, words })),
  );

  test.each(cases)("$to $what", async ({ to, words }) => {
    const unchanged = await everything();
    const ref = join(home, "source/projects/-home-dev-project", `${ID}.jsonl`);
    const handing = handOff(ref, { to, cwd, places, programs: { [to]: words } });
    await expect(handing).rejects.toMatchObject({ code: "verification_failed" });
    expect(await everything()).toEqual(unchanged);
  });

  test("opencode reports another conversation", async () => {
    const liar = join(home, "liar");
    writeFileSync(liar, LIAR);
    chmodSync(liar, 0o755);
    const unchanged = await everything();
    const ref = join(home, "source/projects/-home-dev-project", `${ID}.jsonl`);
    const env = { PATH: process.env.PATH };
    const handing = handOff(ref, {
      to: "opencode",
      cwd,
      places: { home, env },
      programs: { opencode: [liar] },
    });
    await expect(handing).rejects.toMatchObject({
      code: "verification_failed",
      message: expect.stringContaining("reads the new session differently"),
    });
    expect(await everything()).toEqual(unchanged);
  });
});

describe("homes of six agents with sessions of 200 days ago", () => {
  const SESSIONS = {
    claude: "image",
    codex: "image",
    gemini: "image",
    pi: "image",
    opencode: "image",
    copilot: "image",
  } as const;
  let homes: string;
  let env: Record<string, string>;

  beforeEach(async () => {
    homes = join(home, "homes");
    env = { CONTINUO_HOME: join(home, "continuo") };
    for (const agent of AGENT_NAMES) {
      env[HOME_VARIABLES[agent]] = join(homes, agent);
      cpSync(join(FIXTURES, agent, SESSIONS[agent], "home"), join(homes, agent), { recursive: true });
    }
    await ageBy(200, homes);
  });

  const idOf = (agent: AgentName): string =>
    String(
      JSON.parse(readFileSync(join(FIXTURES, agent, SESSIONS[agent], "requests.json"), "utf8")).sessionId,
    );

  /** Folders with a new entry have a newer time; everything else is unchanged. */
  const changed = (then: Readonly<Record<string, string>>, now: Readonly<Record<string, string>>): string[] =>
    Object.keys(then).filter((name) => now[name] !== then[name] && !then[name]?.endsWith("folder"));

  test.each(AGENT_NAMES)("are unchanged after a hand-over to %s, except for the new session", async (to) => {
    const then = await snapshotOf(homes);
    for (const from of AGENT_NAMES) {
      const options = { to, cwd, places: { home, env }, verifyBy: "own" } as const;
      const made = await handOff(`${from}:${idOf(from)}`, options);
      expect(made.sessionId).not.toBeNull();
    }
    const now = await snapshotOf(homes);
    // The only database of opencode holds the new session too.
    const isDatabase = (name: string): boolean => /opencode\.db(?:-wal|-shm)?$/u.test(name);
    expect(changed(then, now).filter((name) => !isDatabase(name))).toEqual([]);
    const added = Object.keys(now).filter(
      (name) => then[name] === undefined && !now[name]?.endsWith("folder"),
    );
    const sessions = added.filter((name) => name.endsWith(".jsonl") && !name.endsWith("session_index.jsonl"));
    expect(sessions).toHaveLength(to === "opencode" ? 0 : AGENT_NAMES.length);
    if (to !== "opencode") expect(changed(then, now)).toEqual([]);
  });

  test("are unchanged after a dry run", async () => {
    const then = await snapshotOf(homes);
    for (const to of AGENT_NAMES) {
      const options = { to, cwd, places: { home, env }, until: "receipt" } as const;
      await handOff(`claude:${idOf("claude")}`, options);
    }
    expect(await snapshotOf(homes)).toEqual(then);
    expect(existsSync(env.CONTINUO_HOME ?? "")).toBe(false);
  });

  test.each(AGENT_NAMES)(
    "are unchanged after a session of %s is renamed, except for that session",
    async (agent) => {
      const then = await snapshotOf(homes);
      await renameNativeSession(`${agent}:${idOf(agent)}`, "Another title", { places: { home, env } });
      const now = await snapshotOf(homes);
      const isNew = (name: string): boolean => then[name] === undefined && !now[name]?.endsWith("folder");
      const files = [...changed(then, now), ...Object.keys(now).filter(isNew)];
      expect(files.filter((name) => !/-(?:wal|shm)$/u.test(name))).toEqual([RENAMED[agent]]);
    },
  );
});

test.each(AGENT_NAMES)("a hand-over that %s refuses leaves no scratch folder", async (to) => {
  const seen = join(home, "seen");
  const script = `require("node:fs").writeFileSync(process.argv[1], process.env.HOME); process.exit(1)`;
  const programs = { [to]: [process.execPath, "-e", script, seen] };
  const ref = join(home, "source/projects/-home-dev-project", `${ID}.jsonl`);
  await expect(handOff(ref, { to, cwd, places, programs })).rejects.toMatchObject({
    code: "verification_failed",
  });
  const scratch = readFileSync(seen, "utf8");
  expect(basename(scratch)).toMatch(new RegExp(`^continuo-scratch-${process.pid}-`, "u"));
  expect(existsSync(scratch)).toBe(false);
});
