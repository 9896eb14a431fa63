/**
 * The side of the running process: it accepts commands, runs each with the shell environment of the caller, and sends
 * its output.
 */

import { chmodSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { listNames, makeScratchFolder } from "@continuo/files";
import { z } from "zod";
import type { Shell } from "../terminal/index.ts";
import type { AnswerHead, AnswerPart, CallerStream, Request } from "./command-client.ts";
import { RUNNING_LIMITS } from "./limits.ts";
import { isPrivate, ownSocket, socketFolder, surroundings } from "./places.ts";
import { isAnswered } from "./remote-commands.ts";

/** Runs a command as its own process would, and returns its exit code. */
export type RunCommand = (argv: readonly string[], shell: Shell) => Promise<number>;

export interface AnsweringProcess {
  readonly program: string;
  readonly run: RunCommand;
  readonly shell: Shell;
}

const STREAM: z.ZodType<CallerStream> = z.strictObject({
  isTTY: z.boolean(),
  columns: z.int().nonnegative(),
  rows: z.int().nonnegative(),
});
const REQUEST: z.ZodType<Request> = z.strictObject({
  program: z.string(),
  surroundings: z.string(),
  argv: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  home: z.string(),
  cwd: z.string(),
  startedBy: z.int(),
  stdout: STREAM,
  stderr: STREAM,
});

/**
 * Answers commands until it is disposed. If no socket can be created, it answers none, and the commands do their work
 * themselves.
 */
export async function answerCommands(answering: AnsweringProcess): Promise<AsyncDisposable> {
  const open = new Set<Socket>();
  const here = surroundings(process.env);
  // A command that no longer waits closes its socket.
  const server = createServer((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket)).on("error", () => undefined);
    if (open.size > RUNNING_LIMITS.commands) socket.destroy();
    else void serve(socket, answering, here);
  });
  await listens(server, answering).catch(() => undefined);
  return {
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Errors: those of the system. */
async function listens(server: Server, { program, shell }: AnsweringProcess): Promise<void> {
  const path = ownSocket(program, shell);
  if (path === null) return;
  const folder = socketFolder(shell);
  makeScratchFolder(folder);
  chmodSync(folder, 0o700);
  if (!isPrivate(folder, shell)) return;
  await removeDead(folder);
  server.once("error", () => undefined).listen(path);
}

/**
 * Removes the sockets that killed processes left. A process that begins to listen at this moment may lose its socket,
 * and is then not asked.
 */
async function removeDead(folder: string): Promise<void> {
  for (const name of listNames(folder).slice(0, RUNNING_LIMITS.lookedAt)) {
    const path = join(folder, name);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const socket = connect(path, () => resolve(false));
    socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code === "ECONNREFUSED"));
    if (await promise) rmSync(path, { force: true });
    socket.destroy();
  }
}

async function serve(socket: Socket, { program, run, shell }: AnsweringProcess, here: string): Promise<void> {
  const stop = new AbortController();
  socket.once("close", () => stop.abort());
  try {
    const request = REQUEST.parse(JSON.parse(await firstLine(socket)));
    const isOurs = request.program === program && request.surroundings === here && isAnswered(request.argv);
    if (!isOurs) return void socket.end("\n");
    socket.write(`${program}\n`);
    const output = createCapture();
    const exitCode = await run(request.argv, shellFor(request, { shell, output, signal: stop.signal }));
    if (stop.signal.aborted || output.isTooLarge()) return void socket.destroy();
    const head: AnswerHead = {
      exitCode,
      parts: output.parts.map(([stream, bytes]) => [stream, bytes.length]),
    };
    socket.end(
      Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...output.parts.map(([, bytes]) => bytes)]),
    );
  } catch {
    // The other side does the work itself, and reports the error.
    socket.destroy();
  }
}

/** Errors: for a socket that ends before the line does, and for a line that is too long. */
function firstLine(socket: Socket): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const received: Buffer[] = [];
  let size = 0;
  socket.setTimeout(RUNNING_LIMITS.answeredMs, () => socket.destroy());
  socket.on("data", (part: Buffer) => {
    received.push(part);
    size += part.length;
    if (size > RUNNING_LIMITS.requestBytes) socket.destroy();
    else if (part.at(-1) === LINE_FEED) {
      socket.setTimeout(0);
      resolve(Buffer.concat(received).toString());
    }
  });
  socket.once("close", () => reject(new Error("the command went away")));
  return promise;
}

/** A request is JSON on one line, so the first line feed ends it. */
const LINE_FEED = 10;

interface Capture {
  readonly parts: readonly AnswerPart[];
  stream(name: AnswerPart[0], like: CallerStream): NodeJS.WriteStream;
  isTooLarge(): boolean;
}

function createCapture(): Capture {
  const parts: AnswerPart[] = [];
  let size = 0;
  return {
    parts,
    stream(name, { isTTY, columns, rows }) {
      const stream = new Writable({
        highWaterMark: RUNNING_LIMITS.answerBytes,
        write(chunk: Buffer, _encoding, done) {
          size += chunk.length;
          if (size <= RUNNING_LIMITS.answerBytes) parts.push([name, chunk]);
          done();
        },
      });
      return Object.assign(stream, { isTTY, columns, rows }) as unknown as NodeJS.WriteStream;
    },
    isTooLarge: () => size > RUNNING_LIMITS.answerBytes,
  };
}

interface AnswerContext {
  readonly shell: Shell;
  readonly output: Capture;
  readonly signal: AbortSignal;
}

/** Signals are sent to the process of the command, which has nothing to clean up. */
function shellFor(request: Request, { shell, output, signal }: AnswerContext): Shell {
  const nothing = (): Disposable => ({ [Symbol.dispose]: () => undefined });
  const { env, home, cwd, startedBy } = request;
  return {
    stdin: Object.assign(new PassThrough().end(), { isTTY: false }) as unknown as NodeJS.ReadStream,
    stdout: output.stream("stdout", request.stdout),
    stderr: output.stream("stderr", request.stderr),
    env,
    home,
    cwd,
    startedBy,
    signal,
    now: new Date(),
    holdInterrupts: nothing,
    holdTermination: nothing,
    onExit: nothing,
    ...(shell.startDetached === undefined ? {} : { startDetached: shell.startDetached }),
  };
}
