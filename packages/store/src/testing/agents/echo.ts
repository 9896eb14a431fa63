/** An agent that answers with its input. */

import {
  type Agent,
  type AgentCapabilities,
  type AgentRequest,
  type AgentResult,
  assertKnownOptions,
  type ExecuteOptions,
} from "@continuo/core/model";
import { CANNOT } from "./capabilities.ts";

export class EchoAgent implements Agent {
  readonly name: string;

  constructor(options: { readonly name?: string } = {}) {
    assertKnownOptions("EchoAgent", options, { name: true });
    this.name = options.name ?? "echo";
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
