/** A running `codex app-server`: JSON-RPC over lines, without the `jsonrpc` field. */

import { type CallOptions, type ContinuoError, present } from "@continuo/core/model";
import { isJson, type Json, readVersion, textField } from "@continuo/files";
import { type DriverLimits, within } from "../link/index.ts";
import { type ProcessStart, type RpcProgram, startCalled } from "../process/index.ts";

export const AGENT = "Codex";

export interface CodexHandlers {
  /** The next line is read after this function is done. */
  onNotification(method: string, params: Json): void | Promise<void>;
  /** This function must not wait for a person. */
  onRequest(id: unknown, method: string, params: Json): void;
  /** Called when no more output arrives. */
  onEnd(): void | Promise<void>;
}

export interface CodexStart extends Omit<ProcessStart, "agent">, CallOptions {
  readonly limits: DriverLimits;
  readonly handlers: CodexHandlers;
}

export interface CallLimits extends CallOptions {
  readonly limitMs: number;
}

/** Resolves when the server is ready. Errors: `agent_missing`, `agent_failed`. */
export async function startCodex(start: CodexStart): Promise<CodexServer> {
  const server = await beginCodex(start);
  try {
    await server.ready;
    return server;
  } catch (error) {
    await server.end();
    throw error;
  }
}

/**
 * Sends the greeting and does not wait for the answer: the server answers in the order of the requests, so that the
 * first request may follow at once. `ready` resolves when the server has accepted the greeting. Errors:
 * `agent_missing`.
 */
export async function beginCodex(start: CodexStart): Promise<CodexServer> {
  const { handlers, limits, signal } = start;
  const command = [...start.command, "app-server"];
  const program = await startCalled(
    { ...start, agent: AGENT, command },
    {
      onOther({ id, method, params }) {
        if (typeof method !== "string") return;
        const told = isJson(params) ? params : {};
        if (id === undefined) return handlers.onNotification(method, told);
        handlers.onRequest(id, method, told);
      },
      onEnd: () => handlers.onEnd(),
    },
  );
  return new CodexServer(program, present({ limitMs: limits.startMs, signal }));
}

export class CodexServer {
  readonly #program: RpcProgram;
  /** Errors: `agent_failed`. */
  readonly ready: Promise<void>;
  /** The version that the server reports when it is ready. */
  version: string | null = null;

  constructor(program: RpcProgram, limits: CallLimits) {
    this.#program = program;
    this.ready = this.#greet(limits);
    // No error is lost here: callers that wait for `ready` get it.
    this.ready.catch(() => undefined);
  }

  async #greet(limits: CallLimits): Promise<void> {
    const clientInfo = { name: "continuo", title: "Continuo", version: readVersion() };
    const answered = this.call("initialize", { clientInfo }, limits);
    this.#program.notify({ method: "initialized" });
    // `continuo/0.169.0 (…)`
    this.version = /\/(\d[^\s]*)/u.exec(textField(await answered, "userAgent") ?? "")?.[1] ?? null;
  }

  /** Returns the result. Errors: `agent_failed`, with `details.answer` if the server refuses. */
  async call(method: string, params: Json, { limitMs, signal }: CallLimits): Promise<Json> {
    const { result } = await within(this.#program.call({ method, params }), {
      limitMs,
      late: () => this.#program.late(`did not answer ${method}`, limitMs),
      ...present({ signal }),
    });
    return isJson(result) ? result : {};
  }

  answer(id: unknown, result: Json): void {
    this.#program.notify({ id, result });
  }

  refuse(id: unknown, message: string): void {
    this.#program.notify({ id, error: { code: -32_601, message } });
  }

  failed(why: string): ContinuoError {
    return this.#program.failed(why);
  }

  async end(): Promise<void> {
    await this.#program.end();
  }
}
