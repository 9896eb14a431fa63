/** Opens a window of a terminal, and waits until the command runs in it. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { firstAndLast } from "@continuo/agents/drivers/process";
import { ContinuoError } from "@continuo/core/model";
import { besideBundle } from "@continuo/files";
import type { WindowAnswer, WindowCommand } from "./command-messages.ts";
import type { Terminal } from "./terminals.ts";

/** A busy desktop may need seconds for a window. */
const WAIT_MS = 30_000;
/** The greatest number of characters that are kept of the output of a terminal that failed. */
const PRINTED_CHARS = 4_000;

export interface WindowOptions {
  readonly waitMs?: number;
}

/**
 * Resolves when the command was started. The window outlives this process.
 *
 * Errors: `agent_failed` if the terminal or the command cannot be started.
 */
export async function openWindow(
  terminal: Terminal,
  command: WindowCommand,
  { waitMs = WAIT_MS }: WindowOptions = {},
): Promise<void> {
  const name = command.argv[0] ?? "";
  const folder = mkdtempSync(join(tmpdir(), "continuo-window-"));
  const offer = await offerCommand(join(folder, "socket"), command);
  const failed = (why: string, hint?: string): ContinuoError =>
    new ContinuoError("agent_failed", `cannot start ${name} in a terminal: ${why}`, {
      hint: hint ?? "Copy the command, and run it in a terminal.",
      details: { terminal: terminal.name },
    });
  const late = Promise.withResolvers<never>();
  const why = `${terminal.name} opened no window within ${waitMs} ms`;
  const timer = setTimeout(() => late.reject(failed(why)), waitMs);
  try {
    const words = [process.execPath, besideBundle(import.meta.filename, "in-window"), offer.path];
    const ended = startTerminal(terminal, words, { env: command.env, folder, offer, failed });
    const answer = await Promise.race([offer.answer, ended, late.promise]);
    if (answer === null) throw failed("the window was closed before the command started");
    if (!answer.started) throw failed(answer.error);
  } finally {
    clearTimeout(timer);
    offer.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Offer {
  readonly path: string;
  readonly isTaken: () => boolean;
  /** `null` for a window that received the command and ended without an answer. */
  readonly answer: Promise<WindowAnswer | null>;
  close(): void;
}

/** Only the first program that asks gets the command; only this user can reach the socket. */
async function offerCommand(path: string, command: WindowCommand): Promise<Offer> {
  const { promise: answer, resolve } = Promise.withResolvers<WindowAnswer | null>();
  let isTaken = false;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    if (isTaken) return void socket.destroy();
    isTaken = true;
    socket.end(JSON.stringify(command));
    text(socket).then(
      (said) => resolve(said === "" ? null : JSON.parse(said)),
      () => resolve(null),
    );
  });
  await once(server.listen(path), "listening");
  return { path, answer, isTaken: () => isTaken, close: () => void server.close() };
}

interface StartOptions {
  readonly env: WindowCommand["env"];
  readonly folder: string;
  readonly offer: Offer;
  readonly failed: (why: string, hint?: string) => ContinuoError;
}

/**
 * Never resolves, because many terminal programs end immediately, and another process of the terminal opens the window.
 */
async function startTerminal(
  { name, program, before, takes }: Terminal,
  words: readonly string[],
  { env, folder, offer, failed }: StartOptions,
): Promise<never> {
  const given = takes === "words" ? words : [writeScript(folder, words)];
  // This is a file and not a pipe, because a pipe would end the terminal together with this process.
  const printedPath = join(folder, "printed");
  const printed = openSync(printedPath, "wx", 0o600);
  const child = spawn(program, [...before, ...given], {
    env,
    detached: true,
    stdio: ["ignore", "ignore", printed],
  });
  closeSync(printed);
  child.unref();
  const [code, signal]: readonly unknown[] = await once(child, "exit").catch((cause: Error) => {
    throw failed(`${name} cannot be started: ${cause.message}`);
  });
  // A window may have asked for the command at the moment at which its terminal ended.
  for (let turn = 0; turn < 2; turn++) await nextTurn();
  if (code === 0 || offer.isTaken()) return await new Promise<never>(() => undefined);
  const said = readFileSync(printedPath, "utf8").slice(0, PRINTED_CHARS);
  const hint = said.trim() === "" ? undefined : `Read what it printed: ${firstAndLast(said)}`;
  throw failed(`${name} ended with ${signal ?? `code ${code}`}`, hint);
}

/**
 * Writes a script for a terminal that opens files. The script contains only paths of this program, and no text of a
 * session.
 */
function writeScript(folder: string, words: readonly string[]): string {
  const path = join(folder, "continuo.command");
  const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  writeFileSync(path, `#!/bin/sh\nexec ${quoted.join(" ")}\n`, { mode: 0o700, flag: "wx" });
  return path;
}
