/** An agent's program while it runs. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import type { Socket } from "node:net";
import { basename } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { ContinuoError, present } from "@continuo/core/model";
import { debugOf, splitLines } from "@continuo/files";
import { type Guardian, startGuardian } from "./guardian.ts";
import { createMark } from "./left-programs.ts";
import { isAnyAlive, killAll, MARK_VARIABLE } from "./orphans.ts";
import {
  appendOutput,
  EMPTY_OUTPUT,
  firstAndLast,
  namesUnknownArgument,
  outputText,
  type ProgramOutput,
} from "./program-output.ts";

const debug = debugOf("drivers");

const STDERR_LIMITS = { headChars: 16_000, tailChars: 48_000 };
/** The limits for output on stdout that is not a message. */
const OTHER_LIMITS = { headChars: 4_000, tailChars: 4_000 };
const MAX_LINE_CHARS = 256 * 1024 * 1024;
/** The time that a program has to end by itself: after its input was closed, and again after SIGTERM. */
const GRACE_MS = 2_000;
const TERM_GRACE_MS = 1_000;
/** If a program has ended and its output is silent for this time, the output counts as held open by a daemon. */
const OUTPUT_GRACE_MS = 1_000;

export interface ProcessStart {
  /** The agent's name for people, for messages. */
  readonly agent: string;
  /** A program and its arguments. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** The whole environment: see `environmentOf`. */
  readonly env: Readonly<Record<string, string>>;
  readonly graceMs?: number;
  /** The program does not speak a protocol; it prints its help or its version. */
  readonly prints?: "text";
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface AgentProcess extends AsyncDisposable {
  readonly pid: number;
  /** Resolves when the pipe accepts more. A program that has ended accepts nothing; see `ended`. */
  send(line: string): Promise<void>;
  /** The lines of its output, once; `null` for a line that is too long to be kept. */
  readonly lines: AsyncIterable<string | null>;
  /** The beginning and the end of its output on stderr, without colours and other control sequences. */
  stderr(): string;
  readonly ended: Promise<ProcessEnd>;
  /**
   * The error `agent_failed`, with the exit code or signal of the program and its output. `details.fault` is `hangs`,
   * `other text` or `too old` for a program that printed no message of its protocol.
   */
  failed(why: string): ContinuoError;
  /**
   * Returns the error of `failed` for a program that missed a limit. After that, `end` does not wait for a program that
   * printed no message.
   */
  late(what: string, limitMs: number): ContinuoError;
  /** Closes its input, waits a little, then ends the program and all processes that it started. Idempotent. */
  end(): Promise<void>;
}

/**
 * Errors: `agent_missing` if there is no such program, `folder_missing` if `cwd` does not exist, `agent_failed` if it
 * cannot be started.
 */
export async function startAgent(start: ProcessStart): Promise<AgentProcess> {
  const [command = "", ...args] = start.command;
  const mark = createMark();
  const child = spawn(command, args, {
    cwd: start.cwd,
    // In its own group, the program can be ended with all that it started, and Ctrl-C does not reach it directly.
    detached: true,
    env: { ...start.env, PWD: start.cwd, [MARK_VARIABLE]: mark },
  });
  const guardian = startGuardian({ pid: child.pid, mark, searchPath: start.env.PATH });
  const ended = new Promise<ProcessEnd>((done) => {
    child.once("close", (code, signal) => done({ code, signal }));
  });
  child.once("exit", () => endOutput(child));
  await started(child, start);
  const begun = performance.now();
  debug("program started", () => ({
    agent: start.agent,
    program: basename(command),
    pid: child.pid ?? null,
  }));
  void ended.then(({ code, signal }) =>
    debug("program ended", () => ({
      agent: start.agent,
      pid: child.pid ?? null,
      code,
      signal,
      ms: Math.round(performance.now() - begun),
    })),
  );
  return new StartedProcess({ child, mark, guardian, ended, start });
}

async function started(child: ChildProcessWithoutNullStreams, { agent, command, cwd }: ProcessStart) {
  // A program that ended takes no more input; `ended` reports its end.
  child.stdin.on("error", () => undefined);
  try {
    // A process with an id is running. Waiting for its event would take long while much code is being loaded.
    if (child.pid === undefined) await once(child, "spawn");
  } catch (cause) {
    // The system reports EACCES if the program is in no folder of the search path and one of the folders cannot be
    // read.
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" && !existsSync(cwd)) {
      // The log has the message, and people who use a program may read it: they must not see its folders.
      throw new ContinuoError("folder_missing", `cannot start ${agent}: its folder does not exist`, {
        hint: `Create ${cwd}, or choose another folder.`,
        hintFor: "program",
        details: { cwd },
        cause,
      });
    }
    const [program = agent] = command;
    const missing = code === "ENOENT" || (code === "EACCES" && !program.includes("/"));
    throw new ContinuoError(
      missing ? "agent_missing" : "agent_failed",
      `cannot start ${agent}: ${basename(program)}`,
      {
        hint: `Check that ${program} is installed and can be started in ${cwd}.`,
        hintFor: "program",
        details: { program, cwd },
        cause,
      },
    );
  }
}

/**
 * A daemon that a program started may keep its output open, and then the end of the program would go unnoticed. The
 * output of the program itself is read to the end.
 */
function endOutput(child: ChildProcessWithoutNullStreams): void {
  const { stdout, stderr } = child;
  let before = -1;
  const look = (): void => {
    const { bytesRead } = stdout as Socket;
    const isSilent = stdout.readableLength === 0 && bytesRead === before;
    before = bytesRead;
    if (!isSilent) return;
    clearInterval(timer);
    stdout.push(null);
    stderr.destroy();
  };
  const timer = setInterval(look, OUTPUT_GRACE_MS);
  // The program closes after its end; its output may have been closed before.
  child.once("close", () => clearInterval(timer));
}

interface Parts {
  readonly child: ChildProcessWithoutNullStreams;
  readonly mark: string;
  readonly guardian: Guardian;
  readonly ended: Promise<ProcessEnd>;
  readonly start: ProcessStart;
}

class StartedProcess implements AgentProcess {
  readonly pid: number;
  readonly ended: Promise<ProcessEnd>;
  readonly lines: AsyncIterable<string | null>;
  readonly #parts: Parts;
  readonly #kill: () => void;
  #stderr: ProgramOutput = EMPTY_OUTPUT;
  /** The lines on stdout before the first message. */
  #other: ProgramOutput = EMPTY_OUTPUT;
  #hasSpoken = false;
  #isGivenUp = false;
  #end: ProcessEnd | null = null;
  #ending: Promise<void> | null = null;

  constructor(parts: Parts) {
    const { child, ended, guardian, mark } = parts;
    const pid = child.pid ?? 0;
    this.#parts = parts;
    this.pid = pid;
    this.ended = ended;
    this.lines = splitLines(child.stdout, {
      maxChars: MAX_LINE_CHARS,
      onLine: (line) => this.#receive(line),
    });
    this.#kill = () => killAll(pid, mark, "SIGKILL");
    process.on("exit", this.#kill);
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = appendOutput(this.#stderr, text, STDERR_LIMITS);
    });
    child.once("exit", (code, signal) => {
      this.#end = { code, signal };
      // The id of a group that has ended may be given to another program.
      if (!isAnyAlive(pid, mark)) void guardian.release();
    });
  }

  async send(line: string): Promise<void> {
    const { stdin } = this.#parts.child;
    if (stdin.writable && !stdin.write(`${line}\n`)) {
      await Promise.race([once(stdin, "drain").catch(() => undefined), this.ended]);
    }
  }

  stderr(): string {
    return stripVTControlCharacters(outputText(this.#stderr));
  }

  failed(why: string): ContinuoError {
    const { agent, command } = this.#parts.start;
    const [stderr, stdout] = [this.stderr(), stripVTControlCharacters(outputText(this.#other))];
    const fault = this.#hasSpoken ? null : this.#faultIn(`${stderr}\n${stdout}`);
    const message = `${agent} ${fault === null ? "" : FAULTS[fault]}${why}${endedHow(this.#end)}`;
    const said = stderr === "" ? stdout : stderr;
    return new ContinuoError("agent_failed", message, {
      ...(said === "" ? {} : { hint: `Read what it printed: ${firstAndLast(said)}` }),
      details: {
        agent,
        command: command[0] ?? "",
        ...this.#end,
        stderr,
        ...present({ fault: fault ?? undefined }),
        ...(stdout === "" ? {} : { stdout }),
      },
    });
  }

  late(what: string, limitMs: number): ContinuoError {
    this.#isGivenUp = !this.#hasSpoken;
    return this.failed(`${what} within ${limitMs} ms`);
  }

  #receive(line: string | null): void {
    if (this.#hasSpoken || line === null) return;
    // Every agent's protocol uses JSON objects, one per line.
    if (line.trimStart().startsWith("{")) this.#hasSpoken = true;
    else if (line.trim() !== "") this.#other = appendOutput(this.#other, `${line}\n`, OTHER_LIMITS);
  }

  #faultIn(printed: string): Fault | null {
    if (this.#end !== null) return this.#end.code !== 0 && namesUnknownArgument(printed) ? "too old" : null;
    if (this.#other === EMPTY_OUTPUT) return "hangs";
    return this.#parts.start.prints === "text" ? null : "other text";
  }

  end(): Promise<void> {
    this.#ending ??= this.#stop();
    return this.#ending;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end();
  }

  async #stop(): Promise<void> {
    const { child, guardian, mark, start } = this.#parts;
    child.stdin.end();
    // Nobody reads the output any more, and a full pipe must not block the program.
    child.stdout.resume();
    const exited = this.#end === null ? once(child, "exit") : Promise.resolve();
    await soon(exited, this.#isGivenUp ? 0 : (start.graceMs ?? GRACE_MS));
    if (isAnyAlive(this.pid, mark)) {
      killAll(this.pid, mark, "SIGTERM");
      await soon(exited, TERM_GRACE_MS);
      this.#kill();
    }
    process.removeListener("exit", this.#kill);
    child.stdout.destroy();
    await soon(this.ended, OUTPUT_GRACE_MS);
    child.stderr.destroy();
    await Promise.all([this.ended, guardian.release()]);
  }
}

type Fault = "hangs" | "other text" | "too old";

const FAULTS: Readonly<Record<Fault, string>> = {
  hangs: "hangs: it printed nothing, and ",
  "other text": "prints text that is not its protocol, and ",
  "too old": "is too old, or another program: it does not know an argument that Continuo gives it, and ",
};

function endedHow(end: ProcessEnd | null): string {
  if (end === null) return "";
  return end.signal === null ? ` (it ended with code ${end.code})` : ` (it was ended by ${end.signal})`;
}

/** Waits for the promise, at most `limitMs`. */
async function soon(promise: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((done) => {
    timer = setTimeout(done, limitMs);
  });
  await Promise.race([promise, limit]);
  clearTimeout(timer);
}
