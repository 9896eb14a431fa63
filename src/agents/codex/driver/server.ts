/** A running `codex app-server`: JSON-RPC over lines, without the `jsonrpc` field. */

import type { CallOptions, ContinuoError } from "../../../model/index.ts";
import { type DriverLimits, within } from "../../driver/index.ts";
import { type CalledProgram, type ProcessStart, startCalled } from "../../process/index.ts";
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

/** Errors: `agent_missing`, `agent_failed`. */
export async function startCodex(start: CodexStart): Promise<CodexServer> {
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
  const server = new CodexServer(program);
  try {
    await server.initialize({ limitMs: limits.startMs, ...toSignal(signal) });
    return server;
  } catch (error) {
    await server.end();
    throw error;
  }
}

export class CodexServer {
  readonly #program: CalledProgram;
  /** Its own word. */
  version: string | null = null;

  constructor(program: CalledProgram) {
    this.#program = program;
  }

  async initialize(limits: CallLimits): Promise<void> {
    const clientInfo = { name: "continuo", title: "Continuo", version: "0.1.0" };
    const answer = await this.call("initialize", { clientInfo }, limits);
    // `continuo/0.169.0 (…)`
    this.version = /\/(\d[^\s]*)/u.exec(textField(answer, "userAgent") ?? "")?.[1] ?? null;
    this.#program.notify({ method: "initialized" });
  }

  /** The result. Errors: `agent_failed`, with `details.answer` where the server says no. */
  async call(method: string, params: Json, { limitMs, signal }: CallLimits): Promise<Json> {
    const { result } = await within(this.#program.call({ method, params }), {
      limitMs,
      late: () => this.failed(`did not answer ${method} within ${limitMs} ms`),
      ...toSignal(signal),
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
