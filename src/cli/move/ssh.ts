/** A connection to Continuo on another machine by the system's ssh, with the keys and settings that it has. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { Readable } from "node:stream";
import { type MoveConnection, openChannel } from "@continuo/agents/handoff/moving";
import { ContinuoError, cutText, present } from "@continuo/core/model";
import type { Shell } from "../terminal/index.ts";

export interface SshPlace {
  /** The address without a folder, for people. */
  readonly machine: string;
  readonly host: string;
  readonly port: string | null;
  /** `/DIR`, `/~/DIR` below the home; `null` if none is named. */
  readonly folder: string | null;
}

/** `null` for the path of a file. Errors: `usage` for an address that ssh would interpret as something else. */
export function parsePlace(text: string): SshPlace | null {
  if (!text.startsWith("ssh:")) return null;
  const [, user = "", host = "", port = null, folder = null] =
    /^ssh:\/\/(?:([\w.][\w.+-]*)@)?([\w.][\w.-]*|\[[\da-fA-F:.]+\])(?::(\d{1,5}))?(\/[^\0]*)?$/u.exec(text) ??
    [];
  if (host === "") {
    throw new ContinuoError("usage", `${JSON.stringify(text)} is not an address of a machine`, {
      hint: "Write it as ssh://HOST, ssh://USER@HOST:PORT or ssh://HOST/DIR.",
    });
  }
  const name = `${user === "" ? "" : `${user}@`}${host}`;
  const machine = `ssh://${name}${port === null ? "" : `:${port}`}`;
  const named = folder === "/" ? null : folder;
  return { machine, host: name.replace(/[[\]]/gu, ""), port, folder: named };
}

/**
 * ssh asks for a password or a passphrase on the terminal itself.
 * @param command a line for the shell there
 * @param end the command of Continuo that answers there
 */
export function openSsh(
  { host, port, machine }: SshPlace,
  command: string,
  shell: Shell,
  end: "receive-move" | "receive-mirror" = "receive-move",
): MoveConnection {
  const args = ["-T", ...ALIVE, ...(port === null ? [] : ["-p", port]), "--", host, `${command} ${end}`];
  const child = spawn("ssh", args, { env: { ...shell.env }, stdio: ["pipe", "pipe", "pipe"] });
  const said = listen(child);
  const ended = new Promise<void>((done) => {
    child.once("close", () => done());
    child.once("error", () => done());
  });
  const broken = (why: string, cause?: unknown): ContinuoError =>
    notReached(machine, { why, cause, said: said() });
  return {
    channel: openChannel(Readable.from(outputOf(child, ended)), child.stdin, broken),
    broken,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      const timer = setTimeout(() => child.kill(), END_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Ends when every process of ssh has ended, because the reason for the end is known only then. */
async function* outputOf(
  { stdout }: ChildProcessWithoutNullStreams,
  ended: Promise<void>,
): AsyncGenerator<Buffer, void, void> {
  yield* stdout;
  await ended;
}

/** A lost machine is noticed within a minute. */
const ALIVE = ["-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=4"];
const END_MS = 5_000;
const MAX_SAID_CHARS = 2_000;

function listen(child: ChildProcessWithoutNullStreams): () => string {
  let text = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    text = cutText(text + chunk, MAX_SAID_CHARS);
  });
  child.on("error", (error: NodeJS.ErrnoException) => {
    text = error.code === "ENOENT" ? "ssh: not installed" : error.message;
  });
  return () => text.trim().replaceAll(/\s+/gu, " ");
}

interface SshEnd {
  readonly why: string;
  readonly cause: unknown;
  readonly said: string;
}

function notReached(machine: string, { why, cause, said }: SshEnd): ContinuoError {
  const isMissing = /not found|No such file/u.test(said);
  return new ContinuoError("unavailable", `the connection to ${machine} ended: ${said || why}`, {
    hint: isMissing
      ? "Install Continuo on that machine, or name its program with --remote-command."
      : "Run the same command again; this machine keeps the session, and the transfer continues.",
    ...present({ cause: cause ?? undefined }),
  });
}
