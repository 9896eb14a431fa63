/** The facts about an agent before any of its sessions is read: plain, small, and there at once. */

import type { AgentName, ReadableRef } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import type { TargetRules } from "../kit/index.ts";
import type { AgentFormat } from "./format.ts";

export interface Agent {
  readonly name: AgentName;
  /** The format's name in `openSessionAdapter`. */
  readonly adapterFormat: string;
  /** The variable that moves all that the agent keeps; `places.ts` of the agent says what else does. */
  readonly homeVariable: string;
  /** Every folder that the agent may keep for itself: where the environment moves it to, and where it is otherwise. */
  homes(places: Places): readonly string[];
  /** The command by which the agent continues a session, in the session's folder. The id comes last. */
  resumeCommand(session: Resumable): readonly string[];
  /** The limits of a message that is written for it. */
  readonly accepts: TargetRules;
  /** Loads the functions that find, read and change its sessions. */
  format(): Promise<AgentFormat>;
}

export type Resumable = Pick<ReadableRef, "agent" | "sessionId" | "location">;
