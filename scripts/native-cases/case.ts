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
  /** Holds the conversation and stores its home, then resumes it with `lastWords` and stores the request. */
  readonly hold: (lastWords: string, keep: Keep) => Promise<void>;
}

/** Stores the parts of a sandbox from which the fixture is made. */
export interface Keep {
  /** The agent's home, as it lies now. */
  home(sandbox: Sandbox, folder: string): Promise<void>;
  /** Notes a request that a resumed agent sent. */
  request(sandbox: Sandbox, sessionId: string, request: RequestRecord): Promise<void>;
}
