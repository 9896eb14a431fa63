/**
 * Ends a program if this process dies before it can end the program itself. A shell (the guardian) reads from a pipe
 * that only this process holds open, so that the pipe is closed when this process dies for any reason. The shell then
 * ends the process group of the program and, on Linux, every process that inherited the program's mark: first with
 * SIGTERM, then with SIGKILL.
 *
 * The shell has a session of its own, so that closing a terminal does not end it. It does not inherit the mark, so that
 * Continuo does not mistake it for a process that the agent left behind. The shell must not signal a group whose number
 * now belongs to another program: on Linux it compares the start time of the group's leader; on other systems, the
 * guardian is released as soon as the guarded group no longer exists.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { processStartOf } from "@continuo/files";
import { MARK_VARIABLE } from "./orphans.ts";

export interface GuardedProcess {
  /** The program, which leads a group of its own; `undefined` if it could not be started. */
  readonly pid: number | undefined;
  readonly mark: string;
  /** Further folders that may contain the programs that the shell needs. */
  readonly searchPath: string | undefined;
}

export interface Guardian {
  /**
   * Ends the guardian, and resolves when the guardian has ended. Must not be called while a guarded process is alive.
   * Idempotent.
   */
  release(): Promise<void>;
}

/** The number of checks for a remaining process, a tenth of a second apart: after SIGTERM, and after SIGKILL. */
const LOOKS = { term: 10, kill: 3 } as const;

const SCRIPT = `trap '' HUP INT QUIT TERM
group=$1 first=$2 mark=$3
born() {
  stat=$(cat "/proc/$group/stat" 2>/dev/null) || return 0
  set -- \${stat##*)}
  echo "\${20}"
}
signal() {
  found=1 now=$(born)
  case $now in '' | "$first") kill -s "$1" -- "-$group" 2>/dev/null && found=0 ;; esac
  for file in $(grep -lzsxF "$mark" /proc/[0-9]*/environ 2>/dev/null); do
    pid=\${file#/proc/}
    kill -s "$1" "\${pid%/*}" 2>/dev/null && found=0
  done
  return $found
}
until_gone() {
  looks=$2
  while signal "$1" && [ "$looks" -gt 0 ]; do
    looks=$((looks - 1))
    sleep 0.1 2>/dev/null || sleep 1
  done
}
while read -r line; do :; done
signal TERM
until_gone 0 ${LOOKS.term}
until_gone KILL ${LOOKS.kill}`;

/** Never fails; without `/bin/sh`, or without memory for it, no guardian is started. */
export function startGuardian({ pid, mark, searchPath = "" }: GuardedProcess): Guardian {
  if (pid === undefined) return { release: () => Promise.resolve() };
  const args = [String(pid), processStartOf(pid) ?? "", `${MARK_VARIABLE}=${mark}`];
  let shell: Shell | null = null;
  // The shell starts a moment later, so that callers that wait for the program continue first.
  const soon = setImmediate(() => {
    shell = startShell(args, searchPath);
  });
  return {
    async release() {
      clearImmediate(soon);
      await shell?.end();
    },
  };
}

interface Shell {
  /** Ends the shell, and resolves when the shell has ended. */
  end(): Promise<void>;
}

function startShell(args: readonly string[], searchPath: string): Shell | null {
  let shell: ChildProcess;
  try {
    shell = spawn("/bin/sh", ["-c", SCRIPT, "continuo-guardian", ...args], {
      cwd: "/",
      detached: true,
      env: { PATH: `/usr/bin:/bin:${searchPath}` },
      stdio: ["pipe", "ignore", "ignore"],
    });
  } catch {
    // There is no memory for another process; the program already runs, and continues without a guardian.
    return null;
  }
  // These errors need no handling: a shell that did not start has no process id, which is checked below, and nothing is
  // ever written to the shell.
  shell.on("error", () => undefined);
  shell.stdin?.on("error", () => undefined);
  if (shell.pid === undefined) return null;
  const gone = new Promise<void>((done) => {
    shell.once("exit", () => done());
  });
  // The guardian must not keep this process alive.
  shell.unref();
  return {
    end() {
      shell.ref();
      shell.kill("SIGKILL");
      return gone;
    },
  };
}
