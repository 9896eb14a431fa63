/** A running `pi --mode rpc`: commands with ids and their responses, and records of what happens. */

import { type CallOptions, type ContinuoError, isContinuoError } from "../../../model/index.ts";
import { type DriverLimits, within } from "../../driver/index.ts";
import {
  type AgentProcess,
  createCalls,
  type JsonCalls,
  type ProcessStart,
  startAgent,
} from "../../process/index.ts";
import { isJson, type Json, toSignal } from "../../reader/index.ts";

export const AGENT = "pi";

export interface PiHandlers {
  /** The next line is read when it is done. */
  onRecord(record: Json): void | Promise<void>;
  /** Nothing comes any more. */
  onEnd(): void | Promise<void>;
}

export interface PiStart extends Omit<ProcessStart, "agent">, CallOptions {
  readonly limits: DriverLimits;
  readonly handlers: PiHandlers;
}

/** How long a program that prints nothing more may take to be gone, so that its end can be told. */
const END_MS = 2_000;

/** Errors: `agent_missing`, `agent_failed` also where pi does not find the session that its arguments name. */
export async function startPi(start: PiStart): Promise<PiProgram> {
  const { limits, signal } = start;
  const program = new PiProgram(await startAgent({ ...start, agent: AGENT }), start);
  try {
    await program.call({ type: "get_state" }, { limitMs: limits.startMs, ...toSignal(signal) });
    return program;
  } catch (error) {
    await program.end();
    // By now it has ended, and said why.
    throw isContinuoError(error, "agent_failed") ? program.failed("does not start") : error;
  }
}

export class PiProgram {
  readonly #program: AgentProcess;
  readonly #calls: JsonCalls;
  #ended: ContinuoError | null = null;

  constructor(program: AgentProcess, { handlers }: PiStart) {
    this.#program = program;
    this.#calls = createCalls(program, (record) => handlers.onRecord(record));
    const over = async (): Promise<void> => {
      const gone = within(program.ended, { limitMs: END_MS, late: () => new Error("late") });
      await gone.catch(() => undefined);
      this.#ended = program.failed("ended");
      await handlers.onEnd();
      // What it started does not outlive it.
      await program.end();
    };
    // Who waits for a response is told by it; who waits for a turn by `onEnd`.
    void this.#calls.ended.catch(() => undefined).then(over);
  }

  /** The data of the response. Errors: `agent_failed`. */
  async call(command: Json, { limitMs, signal }: CallOptions & { readonly limitMs: number }): Promise<Json> {
    if (this.#ended !== null) throw this.#ended;
    const { data } = await within(this.#calls.call(command), {
      limitMs,
      late: () => this.failed(`did not answer ${String(command.type)} within ${limitMs} ms`),
      ...toSignal(signal),
    });
    return isJson(data) ? data : {};
  }

  tell(record: Json): void {
    this.#calls.notify(record);
  }

  failed(why: string): ContinuoError {
    return this.#program.failed(why);
  }

  async end(): Promise<void> {
    await this.#program.end();
  }
}
