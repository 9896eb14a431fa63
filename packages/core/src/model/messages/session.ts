/**
 * The facts about a native session: the row of a list, the details of one session, its branches and records.
 */

import type { AgentName } from "./agent.ts";
import type { Usage } from "./message.ts";
import type { Problem } from "./problem.ts";

/** The native session in which a session continues. */
export interface NativeRef {
  /** An agent whose files we read, or the name that the configuration gives to one that speaks ACP. */
  readonly agent: string;
  readonly sessionId: string;
  /** The main file; for a database `PATH#ID`; `null` if no reader knows it. */
  readonly location: string | null;
  readonly cwd: string | null;
}

/** A native session in a place where one of the readers finds it. */
export interface ReadableRef extends NativeRef {
  readonly agent: AgentName;
  readonly location: string;
}

/**
 * The row of a session in every list: of the library, of `--json`, of the server and of a search. `null` stands for a
 * value that no file states, or that is not known yet. Times are ISO 8601 UTC.
 */
export interface SessionRow {
  /** The name of its agent, or `continuo` for one of Continuo's own. */
  readonly agent: string;
  readonly sessionId: string;
  /** The person's own title, else the agent's, else the first thing the person typed. One line. */
  readonly title: string | null;
  /** The project: the folder in which it runs. */
  readonly cwd: string | null;
  readonly gitBranch: string | null;
  readonly createdAt: string | null;
  /** The time stamp of the last record that has one; the mtime of the file if no record has one. */
  readonly updatedAt: string | null;
  /**
   * The size of all files of the session, without sub-agents; `null` for an own session and for a reported session. In
   * a database with other sessions, only the session's own rows count.
   */
  readonly sizeBytes: number | null;
  readonly archived: boolean;
  /** True if its agent has it open now; `null` if that is not known. */
  readonly live: boolean | null;
}

/** The keys of a row and no others, in the order in which `--json` prints them. */
export function toSessionRow(row: SessionRow): SessionRow {
  const { agent, sessionId, title, cwd, gitBranch, createdAt, updatedAt, sizeBytes, archived, live } = row;
  return { agent, sessionId, title, cwd, gitBranch, createdAt, updatedAt, sizeBytes, archived, live };
}

/** The row of a native session, and facts that only its files have. */
export interface SessionInfo extends ReadableRef, SessionRow {
  readonly agent: AgentName;
  readonly sessionId: string;
  readonly cwd: string | null;
  readonly sizeBytes: number;
  readonly problems: readonly Problem[];
  /**
   * The session from which this one was forked, if the part of the files that was read names it; a full read always
   * finds it.
   */
  readonly forkedFrom?: string | null;
}

/** The details that only a full read finds, in addition to the row of the list. */
export interface SessionDetails extends SessionInfo {
  /** Messages of the active history, by role. */
  readonly messages: {
    readonly total: number;
    readonly user: number;
    readonly assistant: number;
    readonly tool: number;
    readonly system: number;
  };
  /** Calls of the active history. */
  readonly toolCalls: number;
  /** Number of leaves. */
  readonly branches: number;
  readonly records: number;
  /** Records of a type that this version of Continuo does not know, kept verbatim: type and number. */
  readonly unknownRecords: Readonly<Record<string, number>>;
  readonly models: readonly string[];
  /** The sum over all model calls of all branches in the session's own files, each once; `null` if none is recorded. */
  readonly usage: Usage | null;
  /** Versions of the agent that wrote it, oldest first. */
  readonly agentVersions: readonly string[];
  readonly subagents: readonly SubagentInfo[];
  /** The session this one was forked from; `null` if no file says so. */
  readonly forkedFrom: string | null;
}

export interface SubagentInfo {
  readonly id: string;
  readonly location: string;
  readonly type: string | null;
  readonly description: string | null;
  /** The tool call of the parent that started it. */
  readonly toolCallId: string | null;
  readonly model: string | null;
  readonly sizeBytes: number;
}

/** The end of a branch. Every session has one active leaf unless it is empty. */
export interface Leaf {
  /** Accepted by `history({ leaf })` and `session show --branch`; a native id where there is one. */
  readonly id: string;
  readonly active: boolean;
  readonly updatedAt: string | null;
  /** Messages from the root to here. */
  readonly messages: number;
  /** The last thing the person typed on it, one line, shortened. */
  readonly label: string | null;
}

/** One native record, verbatim, in the order of the files. */
export interface Entry {
  /** Left out for the session's own main file. */
  readonly file?: string;
  /** 1-based; `null` for a record that is not a line, but a row of a database or a part of a JSON document. */
  readonly line: number | null;
  /** The row of the database, if the record is a row; see `RecordPlace`. */
  readonly row?: string;
  /** The native id; `null` if the record has none. */
  readonly id: string | null;
  readonly parentId: string | null;
  /** The agent's own name for the kind of record. */
  readonly type: string;
  /** True if the record is on the path from the root to the active leaf. */
  readonly active: boolean;
  /** True if the record has a raw U+2028 or U+2029. Its agent splits lines there, so it does not see the record. */
  readonly rawSeparators?: true;
  readonly value: unknown;
}
