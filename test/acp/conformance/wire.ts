/**
 * A program that speaks ACP, at the level of its bytes: every line that it writes is kept and checked by the protocol's
 * schema.
 */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as sleep } from "node:timers/promises";
import { type Version, violationsOf } from "./schema.ts";

export type Json = Record<string, unknown>;

export interface Message extends Json {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: Json;
  readonly result?: Json | null;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface ProgramToTry {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The longest wait for an answer; 60 s by default. */
  readonly answerMs?: number;
}

const ANSWER_MS = 60_000;

export class Wire implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #methods = new Map<number | string, string>();
  readonly #waiting = new Map<number | string, (message: Message) => void>();
  /** All lines that the program wrote, in order. */
  readonly lines: string[] = [];
  readonly messages: Message[] = [];
  /** Messages that the schema does not allow, and lines that are no message. */
  readonly violations: string[] = [];
  /** Requests to the client. */
  readonly asked: Message[] = [];
  #stderr = "";
  #isInvalidUtf8 = false;
  #last = 0;
  /** Returns the answer to a question, or `null` to leave it unanswered. By default it selects the first option. */
  choose: ((question: Message) => Json | null) | null = ({ params }) => {
    const [first] = (params?.options ?? []) as readonly Json[];
    return { outcome: { outcome: "selected", optionId: first?.optionId ?? "" } };
  };

  readonly #version: Version;
  readonly #answerMs: number;

  constructor({ command: [program, ...args], cwd, env, answerMs }: ProgramToTry, version: Version = 1) {
    this.#version = version;
    this.#answerMs = answerMs ?? ANSWER_MS;
    this.#child = spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    this.#child.stdin.on("error", () => undefined);
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
    });
    const decoder = new StringDecoder("utf8");
    let rest = "";
    this.#child.stdout.on("data", (bytes: Buffer) => {
      rest += decoder.write(bytes);
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#take(line);
    });
  }

  get stderr(): string {
    return this.#stderr;
  }

  get isInvalidUtf8(): boolean {
    return this.#isInvalidUtf8;
  }

  write(text: string): void {
    this.#child.stdin.write(text);
  }

  notify(method: string, params: Json): void {
    this.write(`${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`);
  }

  /** Resolves with the answer, a result or an error. */
  async ask(method: string, params: unknown, id: number | string = this.#nextId()): Promise<Message> {
    const answer = Promise.withResolvers<Message>();
    this.#methods.set(id, method);
    this.#waiting.set(id, answer.resolve);
    this.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const late = new AbortController();
    const tooLate = sleep(this.#answerMs, undefined, { signal: late.signal }).then(() => {
      throw new Error(`no answer to ${method} within ${this.#answerMs} ms: ${this.#stderr}`);
    });
    tooLate.catch(() => undefined);
    try {
      return await Promise.race([answer.promise, tooLate]);
    } finally {
      late.abort();
    }
  }

  /** Throws if the answer is an error. */
  async get(method: string, params: unknown): Promise<Json> {
    const { result, error } = await this.ask(method, params);
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result ?? {};
  }

  /** The method that the message answers. */
  methodOf({ id, method }: Message): string | undefined {
    return method === undefined && id !== undefined && id !== null ? this.#methods.get(id) : undefined;
  }

  updatesOf(sessionId: unknown): Json[] {
    return this.messages
      .filter(({ method, params }) => method === "session/update" && params?.sessionId === sessionId)
      .map(({ params }) => params?.update as Json);
  }

  /** Kills the program without warning, as a power cut does. */
  kill(signal: NodeJS.Signals = "SIGKILL"): void {
    this.#child.kill(signal);
  }

  /** Closes its input. Resolves with the exit code; `null` if it does not end in time. */
  async end(limitMs = 15_000): Promise<number | null> {
    this.#child.stdin.end();
    if (this.#child.exitCode !== null) return this.#child.exitCode;
    const late = new AbortController();
    const closed = once(this.#child, "close", { signal: late.signal }).then(
      ([code]) => code as number | null,
    );
    closed.catch(() => undefined);
    const ended = await Promise.race([
      closed,
      sleep(limitMs, null, { signal: late.signal }).catch(() => null),
    ]);
    late.abort();
    return ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if ((await this.end()) === null) this.#child.kill("SIGKILL");
  }

  #nextId(): number {
    this.#last += 1;
    return this.#last;
  }

  #take(line: string): void {
    this.lines.push(line);
    if (line.includes("\ufffd")) this.#isInvalidUtf8 = true;
    let message: Message;
    try {
      message = JSON.parse(line) as Message;
    } catch {
      this.violations.push(`no JSON: ${line.slice(0, 200)}`);
      return;
    }
    this.messages.push(message);
    const { id, method } = message;
    const asked = this.methodOf(message);
    try {
      this.violations.push(...violationsOf(message, asked, this.#version));
    } catch (error) {
      this.violations.push(`the schema cannot be read: ${String(error)}`);
    }
    if (method !== undefined && id !== undefined) this.#answer(message);
    else if (method === undefined && id !== undefined && id !== null) {
      this.#waiting.get(id)?.(message);
      this.#waiting.delete(id);
    }
  }

  #answer(question: Message): void {
    this.asked.push(question);
    const { id, method } = question;
    if (method !== "session/request_permission") {
      const error = { code: -32_601, message: "the client cannot do that" };
      this.write(`${JSON.stringify({ jsonrpc: "2.0", id, error })}\n`);
      return;
    }
    const result = this.choose?.(question) ?? null;
    if (result !== null) this.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
  }
}
