/** An agent that answers with what it was asked. */

import type {
  Agent,
  AgentCapabilities,
  AgentRequest,
  AgentResult,
  ExecuteOptions,
} from "@continuo/core/model";
import { CANNOT } from "./capabilities.ts";

export class EchoAgent implements Agent {
  readonly name: string;

  constructor({ name = "echo" }: { readonly name?: string } = {}) {
    this.name = name;
  }

  capabilities(): Promise<AgentCapabilities> {
    return Promise.resolve(CANNOT);
  }

  async execute({ input }: AgentRequest, { onEvent, signal }: ExecuteOptions): Promise<AgentResult> {
    signal.throwIfAborted();
    await onEvent({ type: "message", content: input });
    return { stopReason: "end_turn" };
  }
}
