/**
 * The facts about an agent that need none of its sessions. They are small and plain, and no format is loaded for them.
 */

import type { AgentName, ReadableRef } from "@continuo/core/model";
import type { Json, Places } from "@continuo/files";
import type { TargetRules } from "../kit/index.ts";
import type { AgentFormat } from "./format.ts";

export interface Agent {
  readonly name: AgentName;
  /** The format's name in `openSessionAdapter`. */
  readonly adapterFormat: string;
  /** The variable that moves all that the agent keeps; `places.ts` of the agent says what else does. */
  readonly homeVariable: string;
  /** The prefix of the agent's variables, which the agent receives even in an untrusted folder. */
  readonly variablePrefix: string;
  /**
   * Every folder and file that the agent may keep for itself: the places that the environment names, and the default
   * ones.
   */
  homes(places: Places): readonly string[];
  /** The command by which the agent continues a session, in the session's folder. The id comes last. */
  resumeCommand(session: ResumableRef): readonly string[];
  /** The limits of a message that is written for it. */
  readonly accepts: TargetRules;
  /** Files and folders of a project that configure the agent; some can start a program, or allow one. */
  readonly projectFiles: readonly string[];
  /**
   * Returns true if its own record trusts a folder; a setting that trusts every folder does not count.
   *
   * @param folders the folder, then those above it, up to the root of its repository; never empty.
   */
  isTrusted(folders: readonly string[], places: Places): boolean;
  /** The place of the person's MCP servers; `null` for an agent that has none. */
  readonly mcpServers: McpServers | null;
  /** The facts for driving it over ACP; `null` if its program is started by its name and asks before it acts. */
  readonly acp: AcpDescription | null;
  /** Loads the functions that find, read and change its sessions. */
  format(): Promise<AgentFormat>;
}

/** The person's settings file with the MCP servers. A project's settings belong to the project. */
export interface McpServers {
  path(places: Places): string;
  readonly language: "json" | "toml";
  /** The key of the table of servers. */
  readonly group: string;
  /** The entry of a server that is a program. */
  entry(server: ServerCommand): Json;
}

/** The command that starts an MCP server. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface AcpDescription {
  /** The name that people use. */
  readonly label: string;
  /** The program that speaks ACP; by default it has the name of the agent. */
  readonly program?: string;
  readonly args: readonly string[];
  readonly install: string;
  /**
   * The keys are methods of `authenticate`, the values are variables. A method needs no person if its variable is set.
   * It is tried when the agent asks for authentication.
   */
  readonly keys?: Readonly<Record<string, string>>;
  /**
   * The additions that hold the agent to a policy, or to the trust in a folder: `trusted` by the person, in Continuo's
   * record, or `untrusted`. A missing key means that no addition is needed, `null` that none can hold the agent to the
   * policy.
   */
  readonly holds: Readonly<Partial<Record<"ask" | "safe" | "unrestricted", AcpHold | null>>> &
    Readonly<Partial<Record<"trusted" | "untrusted", AcpHold>>>;
  /** The agent always reads a project's files, so it is not started in an untrusted folder. */
  readonly followsProjects?: true;
  /**
   * It begins a session by itself at each start, and since this version a flag gives that session an id: if the session
   * stays empty, it is removed when the program has ended.
   */
  readonly ownSession?: { readonly flag: string; readonly since: string };
  /** Its session file has the facts about calls that the protocol does not report. */
  readonly recordsCalls?: true;
  /** Absent if the protocol reports how a turn failed. */
  readonly errorWords?: ErrorWords;
  /** Its answers count the usage of all turns since the program opened the session. */
  readonly sumsUsage?: true;
  /** It accepts the tool servers of its client, and starts none of them. */
  readonly takesNoToolServers?: true;
  /** In a folder that is not trusted it starts no server of its client. */
  readonly toolServersNeedTrust?: true;
  /**
   * It replaces `$NAME` and `${NAME}` in the variables and headers of its client's servers, but not after a backslash,
   * which it removes.
   */
  readonly expandsToolServers?: true;
}

/** An agent that ends a failed turn like an answered one: its session file records the reason as an error. */
export interface ErrorWords {
  /** The words before the reason; they are a separate part of the answer. */
  readonly before: string;
  /** A part of the answer which reports that the model is called again. */
  readonly retry: string;
}

/** Additions to the start of the program, or to the opening of a session. */
export interface AcpHold {
  /** After the command. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Rules that the agent reads from a file: this flag and the path follow the command. */
  readonly rules?: { readonly flag: string; readonly text: string };
  /** The mode of the session, even of a resumed one; the value of a variable of the program has priority. */
  readonly mode?: string | { readonly variable: string; readonly otherwise: string };
  /** In addition to the options with which a session is opened. */
  readonly meta?: Json;
}

export type ResumableRef = Pick<ReadableRef, "agent" | "sessionId" | "location">;
