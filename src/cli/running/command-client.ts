/** Sends a command to a running process and reads its answer. It loads as little as possible. */

import { connect, type Socket } from "node:net";
import { RUNNING_LIMITS } from "./limits.ts";
import { surroundings } from "./places.ts";

/** The command with the environment of its own process. */
export interface Caller {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly cwd: string;
  /** The process that started the command, which identifies a terminal. */
  readonly startedBy: number;
  readonly stdout: CallerStream;
  readonly stderr: CallerStream;
}

export interface CallerStream {
  readonly isTTY: boolean;
  readonly columns: number;
  readonly rows: number;
}

export interface Request extends Caller {
  readonly program: string;
  readonly surroundings: string;
}

/** A text that was written to a stream. The parts of an answer are in the order in which they were written. */
export type AnswerPart = readonly [stream: "stdout" | "stderr", bytes: Buffer];

export interface Answer {
  readonly exitCode: number;
  readonly parts: readonly AnswerPart[];
}

/** `another`: this process will not answer, but the next one may. `none`: the command does the work itself. */
type Outcome = Answer | "another" | "none";

/** Returns `null` if no process answers in time. */
export async function askRunning(
  sockets: readonly string[],
  program: string,
  caller: Caller,
): Promise<Answer | null> {
  const request: Request = { ...caller, program, surroundings: surroundings(caller.env) };
  const line = `${JSON.stringify(request)}\n`;
  for (const path of sockets.slice(0, RUNNING_LIMITS.tries)) {
    const outcome = await ask(path, line, program);
    if (outcome === "none") return null;
    if (outcome !== "another") return outcome;
  }
  return null;
}

function ask(path: string, line: string, program: string): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const socket = connect(path);
  const end = (outcome: Outcome): void => {
    clearTimeout(timer);
    socket.destroy();
    resolve(outcome);
  };
  let timer = setTimeout(end, RUNNING_LIMITS.acceptedMs, "none");
  socket.on("error", () => end("another"));
  socket.on("connect", () => socket.write(line));
  readAnswer(socket, program, {
    onAccepted() {
      clearTimeout(timer);
      timer = setTimeout(end, RUNNING_LIMITS.answeredMs, "none");
    },
    onEnd: end,
  });
  return promise;
}

interface AnswerEvents {
  onAccepted(): void;
  onEnd(outcome: Outcome): void;
}

/**
 * Reads an answer: first a line with the name of the build, which is sent as soon as the command is accepted, then a
 * line with the head, and then all texts.
 */
function readAnswer(socket: Socket, program: string, { onAccepted, onEnd }: AnswerEvents): void {
  const accepted = `${program}\n`;
  const received: Buffer[] = [];
  let size = 0;
  let isAccepted = false;
  socket.on("data", (part: Buffer) => {
    received.push(part);
    size += part.length;
    if (size > RUNNING_LIMITS.answerBytes) onEnd("none");
    if (isAccepted) return;
    const begin = Buffer.concat(received).toString("latin1", 0, accepted.length);
    if (!accepted.startsWith(begin)) onEnd("another");
    isAccepted = begin === accepted;
    if (isAccepted) onAccepted();
  });
  socket.on("end", () => {
    onEnd(isAccepted ? (toAnswer(Buffer.concat(received).subarray(accepted.length)) ?? "none") : "another");
  });
}

/** Returns `null` for an answer that was cut off. */
function toAnswer(bytes: Buffer): Answer | null {
  const end = bytes.indexOf("\n");
  const head = end === -1 ? null : parseHead(bytes.toString("utf8", 0, end));
  if (head === null) return null;
  let at = end + 1;
  const parts = head.parts.map(([stream, length]): AnswerPart => {
    at += length;
    return [stream, bytes.subarray(at - length, at)];
  });
  return at === bytes.length ? { exitCode: head.exitCode, parts } : null;
}

/** The first line of an answer. */
export interface AnswerHead {
  readonly exitCode: number;
  readonly parts: readonly (readonly [stream: AnswerPart[0], bytes: number])[];
}

/** Parses the head without a library. The other side is the same build, so only a damaged answer has another form. */
function parseHead(text: string): AnswerHead | null {
  try {
    const { exitCode, parts }: AnswerHead = JSON.parse(text);
    const isWhole = parts.every(
      ([stream, bytes]) => ["stdout", "stderr"].includes(stream) && Number.isSafeInteger(bytes) && bytes >= 0,
    );
    return Number.isSafeInteger(exitCode) && isWhole ? { exitCode, parts } : null;
  } catch {
    return null;
  }
}
