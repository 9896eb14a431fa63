/** A recorded conversation: what every agent's cases have in common. */

import type { AgentName } from "@continuo/core/model";
import type { Sandbox } from "../../test/agents/sandbox.ts";
import type { RequestRecord } from "../../test/model-servers/index.ts";

/** The agents whose sessions are recorded. */
export type RecordedAgent = AgentName;

export interface NativeCase {
  readonly agent: RecordedAgent;
  readonly name: string;
  /** One or two sentences for the case's README. */
  readonly shows: string;
  /** The commands that made it. */
  readonly made: string;
  /** Holds the conversation and has its home kept, then resumes it with `lastWords` and has the request kept. */
  readonly hold: (lastWords: string, keep: Keep) => Promise<void>;
}

/** Takes from a sandbox what the fixture is made of. */
export interface Keep {
  /** The agent's home, as it lies now. */
  home(sandbox: Sandbox, folder: string): Promise<void>;
  /** Notes a request that a resumed agent sent. */
  request(sandbox: Sandbox, sessionId: string, request: RequestRecord): Promise<void>;
}
