/** No process of an agent is left when the process that started it dies, however it dies. */

import { type ChildProcessByStdio, execFileSync, spawn } from "node:child_process";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { expectGone } from "./gone.ts";
import { endsOf, guardiansOf, ignoredBy, isRunning, sessionOf } from "./processes.ts";

const HOLDER = join(import.meta.dirname, "holder.ts");
const REUSED = join(import.meta.dirname, "reused-pid.ts");

interface Holder {
  readonly process: ChildProcessByStdio<Writable, Readable, null>;
  /** The numbers of its agents' processes. */
  readonly pids: readonly number[];
}

/** Starts a holder, which dies when something is written to it. */
async function hold(kind: "agent" | "witness", how: string): Promise<Holder> {
  const child = spawn(process.execPath, [HOLDER, kind, how], { stdio: ["pipe", "pipe", "ignore"] });
  let said = "";
  for await (const part of child.stdout.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    said += part;
    if (said.includes("ready\n")) break;
  }
  return { process: child, pids: pidsIn(said) };
}

function pidsIn(said: string): readonly number[] {
  return [...said.matchAll(/^pid (\d+)$/gmu)].map(([, pid]) => Number(pid));
}

async function ended({ process: child }: Holder): Promise<void> {
  const over = new Promise((done) => child.once("exit", done));
  child.stdin.write("now\n");
  await over;
}

const WAYS = [
  ...["SIGKILL", "SIGTERM", "SIGHUP", "abort", "throw", "exit"].map((how) => ["agent", how] as const),
  ...["SIGKILL", "exit"].map((how) => ["witness", how] as const),
] as const;

describe("agents that ignore the end of their input and SIGTERM, with a daemon each", {
  timeout: 180_000,
}, () => {
  test.concurrent.each(WAYS)(
    "as %s do not outlive a process that dies by %s, nor do their guardians",
    async (kind, how) => {
      const holder = await hold(kind, how);
      expect(holder.pids.filter(isRunning)).toHaveLength(6);
      await ended(holder);
      await expectGone(holder.pids);
    },
  );

  test("have a guardian that ignores terminals and signals such as SIGTERM, and inherit nothing from it", async () => {
    const holder = await hold("agent", "SIGKILL");
    const leaders = holder.pids.filter((_, at) => at % 3 === 2);
    const guardians = leaders.flatMap(guardiansOf);
    expect(guardians).toHaveLength(2);
    for (const guardian of guardians) {
      expect(sessionOf(guardian)).toBe(guardian);
      const { SIGHUP, SIGINT, SIGQUIT, SIGTERM } = constants.signals;
      const polite = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];
      await expect.poll(() => ignoredBy(guardian)).toEqual(polite);
    }
    // This leaves out what the holder inherited from this process, as all processes that it starts do.
    const held = endsOf(holder.process.pid ?? 0).filter((end) => !endsOf(process.pid).includes(end));
    const inherited = [...holder.pids, ...guardians].flatMap(endsOf).filter((end) => held.includes(end));
    expect(inherited).toEqual([]);
    await ended(holder);
    await expectGone(holder.pids);
  });

  test.each(["agent", "witness"])(
    "as %s are ended with their guardian at a normal end, and no zombie is left",
    (kind) => {
      const said = holdToTheEnd(kind, "end");
      const pids = pidsIn(said);
      expect(pids).toHaveLength(3);
      expect(pids.filter(isRunning)).toEqual([]);
      expect(said).toContain("children 0\n");
    },
  );
});

test("a guardian keeps no process running, whatever its program left running", async () => {
  const daemon = "setsid sleep 1000 < /dev/null > /dev/null 2>&1 & echo $!; echo $$";
  const pids = pidsIn(holdToTheEnd("agent", "forget", "sh", "-c", daemon));
  expect(pids).toHaveLength(2);
  await expectGone(pids);
});

function holdToTheEnd(...args: readonly string[]): string {
  return execFileSync(process.execPath, [HOLDER, ...args], { encoding: "utf8", timeout: 120_000 });
}

/** Runs a script in separate namespaces, as their root user. */
function unshare(flags: readonly string[], script: string, command: readonly string[]): string {
  const asRoot = process.getuid?.() === 0 ? [] : ["--map-root-user"];
  return execFileSync("unshare", [...flags, ...asRoot, "sh", "-c", script, "sh", ...command], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, TMPDIR: tmpdir() },
    timeout: 120_000,
  });
}

test("a program that got the number of an ended one is not killed", () => {
  const script = `pids=$("$@")
    while grep -qs 'continuo-guardia[n]' /proc/[0-9]*/cmdline; do sleep 0.1; done
    for pid in $pids; do tr '\\0' ' ' < /proc/$pid/cmdline; echo $pid; done`;
  const said = unshare(["--pid", "--fork", "--mount-proc"], script, [process.execPath, REUSED]);
  expect(said).toMatch(/^sleep 1000 (\d+)\nsleep 1000 \1\n$/u);
});

test("without a shell, an agent is still started and ended", () => {
  const script = `mount --bind /dev/null "$(readlink -f /bin/sh)"; exec "$@"`;
  const agent = [
    process.execPath,
    "-e",
    "console.log(process.pid); console.log(); console.log(); setInterval(() => 0, 9)",
  ];
  expect(unshare(["--mount"], script, [process.execPath, HOLDER, "agent", "end", ...agent])).toContain(
    "children 0\n",
  );
});
