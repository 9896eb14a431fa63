/** A running `pi --mode rpc`: commands with ids and their responses, and records of what happens. */

import { type CallOptions, type ContinuoError, present } from "@continuo/core/model";
import { isJson, type Json } from "@continuo/files";
import { type DriverLimits, within } from "../link/index.ts";
import { type ProcessStart, type RpcProgram, startCalled } from "../process/index.ts";

export const AGENT = "pi";

export interface PiHandlers {
  /** The next line is read after this function is done. */
  onRecord(record: Json): void | Promise<void>;
  /** Called when no more output arrives. */
  onEnd(): void | Promise<void>;
}

export interface PiStart extends Omit<ProcessStart, "agent">, CallOptions {
  readonly limits: DriverLimits;
  readonly handlers: PiHandlers;
}

/** Errors: `agent_missing`, `agent_failed`, also if pi does not find the session that its arguments name. */
export async function startPi(start: PiStart): Promise<PiProgram> {
  const { handlers, limits, signal } = start;
  const called = await startCalled(
    { ...start, agent: AGENT },
    { onOther: (record) => handlers.onRecord(record), onEnd: () => handlers.onEnd() },
  );
  const program = new PiProgram(called);
  try {
    await program.call({ type: "get_state" }, present({ limitMs: limits.startMs, signal }));
    return program;
  } catch (error) {
    await program.end();
    throw error;
  }
}

export class PiProgram {
  readonly #program: RpcProgram;

  constructor(program: RpcProgram) {
    this.#program = program;
  }

  /** The data of the response. Errors: `agent_failed`. */
  async call(command: Json, { limitMs, signal }: CallOptions & { readonly limitMs: number }): Promise<Json> {
    const { data } = await within(this.#program.call(command), {
      limitMs,
      late: () => this.#program.late(`did not answer ${String(command.type)}`, limitMs),
      ...present({ signal }),
    });
    return isJson(data) ? data : {};
  }

  tell(record: Json): void {
    this.#program.notify(record);
  }

  failed(why: string): ContinuoError {
    return this.#program.failed(why);
  }

  async end(): Promise<void> {
    await this.#program.end();
  }
}
