/** A running `codex app-server`: JSON-RPC over lines, without the `jsonrpc` field. */

import { type CallOptions, type ContinuoError, isContinuoError } from "../../../model/index.ts";
import { type DriverLimits, within } from "../../driver/index.ts";
import {
  type AgentProcess,
  createCalls,
  type JsonCalls,
  type ProcessStart,
  startAgent,
} from "../../process/index.ts";
import { isJson, type Json, textField, toSignal } from "../../reader/index.ts";

export const AGENT = "Codex";

export interface CodexHandlers {
  /** The next line is read when it is done. */
  onNotification(method: string, params: Json): void | Promise<void>;
  /** It must not wait for a person. */
  onRequest(id: unknown, method: string, params: Json): void;
  /** Nothing comes any more. */
  onEnd(): void | Promise<void>;
}

export interface CodexStart extends Omit<ProcessStart, "agent">, CallOptions {
  readonly limits: DriverLimits;
  readonly handlers: CodexHandlers;
}

export interface CallLimits extends CallOptions {
  readonly limitMs: number;
}

/** How long a program that prints nothing more may take to be gone, so that its end can be told. */
const END_MS = 2_000;

/** Errors: `agent_missing`, `agent_failed`. */
export async function startCodex(start: CodexStart): Promise<CodexServer> {
  const { limits, signal } = start;
  const program = await startAgent({ ...start, agent: AGENT, command: [...start.command, "app-server"] });
  const server = new CodexServer(program, start.handlers);
  try {
    await server.initialize({ limitMs: limits.startMs, ...toSignal(signal) });
    return server;
  } catch (error) {
    await server.end();
    throw error;
  }
}

export class CodexServer {
  readonly #program: AgentProcess;
  readonly #calls: JsonCalls;
  #ended: ContinuoError | null = null;
  /** Its own word. */
  version: string | null = null;

  constructor(program: AgentProcess, handlers: CodexHandlers) {
    this.#program = program;
    this.#calls = createCalls(program, ({ id, method, params }) => {
      if (typeof method !== "string") return;
      const told = isJson(params) ? params : {};
      if (id === undefined) return handlers.onNotification(method, told);
      handlers.onRequest(id, method, told);
    });
    const over = async (): Promise<void> => {
      const gone = within(program.ended, { limitMs: END_MS, late: () => new Error("late") });
      await gone.catch(() => undefined);
      this.#ended = program.failed("ended");
      await handlers.onEnd();
      // What it started does not outlive it.
      await program.end();
    };
    // Who waits for an answer is told by it; who waits for a turn by `onEnd`.
    void this.#calls.ended.catch(() => undefined).then(over);
  }

  async initialize(limits: CallLimits): Promise<void> {
    const clientInfo = { name: "continuo", title: "Continuo", version: "0.1.0" };
    const answer = await this.call("initialize", { clientInfo }, limits);
    // `continuo/0.169.0 (…)`
    this.version = /\/(\d[^\s]*)/u.exec(textField(answer, "userAgent") ?? "")?.[1] ?? null;
    this.#calls.notify({ method: "initialized" });
  }

  /** The result. Errors: `agent_failed`, with `details.answer` where the server says no. */
  async call(method: string, params: Json, { limitMs, signal }: CallLimits): Promise<Json> {
    if (this.#ended !== null) throw this.#ended;
    const { result } = await within(this.#calls.call({ method, params }), {
      limitMs,
      late: () => this.failed(`did not answer ${method} within ${limitMs} ms`),
      ...toSignal(signal),
    });
    return isJson(result) ? result : {};
  }

  answer(id: unknown, result: Json): void {
    this.#calls.notify({ id, result });
  }

  refuse(id: unknown, message: string): void {
    this.#calls.notify({ id, error: { code: -32_601, message } });
  }

  failed(why: string): ContinuoError {
    return this.#program.failed(why);
  }

  async end(): Promise<void> {
    await this.#program.end();
  }
}

/** Whether the server itself said no, rather than ended or was late. */
export function isRefusal(error: unknown): boolean {
  return isContinuoError(error, "agent_failed") && error.details.answer !== undefined;
}
