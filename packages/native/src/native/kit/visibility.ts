/** Sessions that an agent's own list does not show: the types of every agent's table of causes and of its rules. */

import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { FoundSession, Places, SkimMemo } from "./port.ts";
import type { DatabaseRows } from "./trash-plan.ts";

/** One reason for which an agent's list does not show a session. */
export interface CauseFacts {
  /** A sentence: why the list does not show it. */
  readonly means: string;
  /** A sentence: the least that makes the list show it. */
  readonly bringsBack: string;
  /** A sentence: what is different afterwards. */
  readonly changes: string;
  /** `continuo`: an edit of the session; `agent`: a command of the agent; `person`: neither can. */
  readonly by: "continuo" | "agent" | "person";
  /** `folder`: only the list of the session's own folder lacks it, and a list of all folders has it. */
  readonly list: "every" | "folder";
  /** The agent leaves it out on purpose: it is archived, or belongs to another session. */
  readonly intended: boolean;
  /** `made`: hidden by the real agent in a test; `reported`: by threads of its users only, and never found by Continuo. */
  readonly evidence: "made" | "reported";
}

export interface HiddenSession<Cause extends string = string> {
  readonly found: FoundSession;
  readonly cause: Cause;
  /** The fact about this very session, as a sentence; `null` where the cause says it all. */
  readonly detail: string | null;
}

/** The change that makes a list show a session, as data: nothing of it is done yet. */
export type Mending = FileMending | RowMending;

interface MendingSteps {
  /** Sentences without a full stop, in their order. */
  readonly steps: readonly string[];
}

/** Columns of the session's own row in the database of its agent. What was said stands in other rows. */
export interface RowMending extends MendingSteps {
  readonly of: "row";
  readonly database: string;
  readonly table: string;
  readonly set: Readonly<Record<string, string | null>>;
}

export interface FileMending extends MendingSteps {
  readonly of: "file";
  /** The session's file, and its place afterwards: the same where only bytes change. */
  readonly from: string;
  readonly to: string;
  readonly bytes: Buffer;
  /** Folders and files that belong to the session and change places with it. */
  readonly beside: readonly { readonly from: string; readonly to: string }[];
  /** Rows of the agent's own index about the session, and the columns of them that change. Left out: there are none. */
  readonly index?: IndexChange;
}

export interface IndexChange {
  readonly rows: readonly DatabaseRows[];
  readonly set: Readonly<Record<string, string>>;
}

export interface HiddenOptions {
  readonly memo?: SkimMemo;
  readonly signal?: AbortSignal;
}

export interface AgentVisibility {
  readonly causes: Readonly<Record<string, CauseFacts>>;
  /** Sessions in which something is said and that the agent's own list lacks. Reads only, and starts nothing. */
  hidden(places: Places, options: HiddenOptions): AsyncGenerator<HiddenSession, void, void>;
  /**
   * `null` where Continuo cannot bring it back. Reads only, and equal for equal files. Errors: `unreadable`, `too_large`;
   * `conflict` where another session has the place.
   */
  mend(hidden: HiddenSession, places: Places): Promise<Mending | null>;
  /** The words of the agent's own command that brings it back; `null` where it has none. */
  command(hidden: HiddenSession): readonly string[] | null;
}

export interface GoneFolder {
  readonly cause: "folder_gone";
  readonly detail: string;
}

/**
 * The cause of a session whose folder is gone, and `null` for the others. Each folder is looked at only once; a path of
 * another system is not looked for.
 */
export function goneFolders(): (folder: string | null) => GoneFolder | null {
  const known = new Map<string, boolean>();
  return (folder) => {
    if (folder === null) return null;
    const isGone = known.get(folder) ?? (isAbsolute(folder) && !existsSync(folder));
    known.set(folder, isGone);
    return isGone ? { cause: "folder_gone", detail: `It worked in ${folder}, which is gone.` } : null;
  };
}
