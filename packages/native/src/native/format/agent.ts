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
  /**
   * Files of a project that configure it, each seen to start a program or to allow one. Left out where
   * `drivers/trust/project-files.ts` has them.
   */
  readonly projectFiles?: readonly string[];
  /** Returns true if its own record trusts the folder; left out where `drivers/trust/own-records.ts` tells it. */
  isTrusted?(folder: string, places: Places): boolean;
  /** The place of the person's MCP servers; left out where `cli/mcp/registering/` knows it. */
  readonly mcpServers?: McpServers;
  /** The facts for driving it over ACP; left out where `drivers/acp/programs.ts` has a row. */
  readonly acp?: AcpDescription;
  /** Loads the functions that find, read and change its sessions. */
  format(): Promise<AgentFormat>;
}

/** A file of JSON, the key of its table of servers, and what each entry has in addition to command, arguments and variables. */
export interface McpServers {
  path(places: Places): string;
  readonly group: string;
  readonly entry: Readonly<Record<string, unknown>>;
}

/** The facts from which the driver over ACP makes its row. */
export interface AcpDescription {
  readonly label: string;
  readonly args: readonly string[];
  readonly install: string;
  /** Each policy adds to the start of the program; `untrusted` holds in a folder that nobody trusts. */
  readonly holds: Readonly<Partial<Record<"ask" | "safe" | "unrestricted" | "untrusted", AcpHold>>>;
  /** Nothing keeps it from a project's files: it is not started where nobody trusts them. */
  readonly followsProjects?: true;
  /** Left out where the protocol tells how a turn failed. */
  readonly errorWords?: ErrorWords;
  /** Its answers count the usage of all turns since the program opened the session. */
  readonly sumsUsage?: true;
}

/** An agent that ends a failed turn like an answered one: its session file records the reason as an error. */
export interface ErrorWords {
  /** The words before the reason, in a part of the answer of its own. */
  readonly before: string;
  /** A part of the answer that says that the model is asked again. */
  readonly retry: string;
}

export interface AcpHold {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export type Resumable = Pick<ReadableRef, "agent" | "sessionId" | "location">;
