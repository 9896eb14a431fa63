/** Sessions that an agent's own list does not show: the types of every agent's table of causes and of its rules. */

import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { FoundSession, Places, SkimMemo } from "./port.ts";
import type { DatabaseRows } from "./trash-plan.ts";

/** A reason why an agent's list does not show a session. */
export interface CauseFacts {
  /** A sentence that says why the list does not show the session. */
  readonly means: string;
  /** A sentence that says the smallest change after which the list shows it. */
  readonly bringsBack: string;
  /** A sentence that says what is different afterwards. */
  readonly changes: string;
  /** The one that can bring it back: an edit by Continuo, a command of the agent, or only a person. */
  readonly by: "continuo" | "agent" | "person";
  /** `every`: no list shows the session; `folder`: only the list of its folder does not show it. */
  readonly list: "every" | "folder";
  /** The agent leaves it out on purpose: it is archived, or belongs to another session. */
  readonly intended: boolean;
  /** `made`: hidden by the real agent in a test; `reported`: only users reported it, and Continuo never found it. */
  readonly evidence: "made" | "reported";
}

export interface HiddenSession<Cause extends string = string> {
  readonly found: FoundSession;
  readonly cause: Cause;
  /** A sentence about this particular session; `null` if the cause says everything. */
  readonly detail: string | null;
}

/** The change that makes a list show a session, as data. Nothing has been changed yet. */
export type VisibilityFix = FileFix | RowFix;

interface FixSteps {
  /** Sentences without a full stop, in their order. */
  readonly steps: readonly string[];
}

/** Columns of the session's own row in the database of its agent. Its messages are in other rows. */
export interface RowFix extends FixSteps {
  readonly of: "row";
  readonly database: string;
  readonly table: string;
  readonly set: Readonly<Record<string, string | null>>;
}

export interface FileFix extends FixSteps {
  readonly of: "file";
  /** The session's file, and its path afterwards: the same path if only bytes change. */
  readonly from: string;
  readonly to: string;
  readonly bytes: Buffer;
  /** Folders and files that belong to the session and move with it. */
  readonly beside: readonly { readonly from: string; readonly to: string }[];
  /** Rows about the session in the agent's own index, and the columns that change; absent if there are none. */
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
  /** Sessions that have messages and that the agent's own list lacks. Only reads, and starts no program. */
  hidden(places: Places, options: HiddenOptions): AsyncGenerator<HiddenSession, void, void>;
  /**
   * The change that brings the session back; `null` if Continuo cannot. Only reads, and equal files give equal changes.
   * Errors: `unreadable`, `too_large`; `conflict` if another session has the path.
   */
  mend(hidden: HiddenSession, places: Places): Promise<VisibilityFix | null>;
  /** The words of the agent's own command that brings it back; `null` if it has none. */
  command(hidden: HiddenSession): readonly string[] | null;
}

export interface GoneFolder {
  readonly cause: "folder_gone";
  readonly detail: string;
}

/**
 * Returns the cause for a session whose folder is gone, and `null` for other sessions. Each folder is looked up only once; a
 * path of another operating system is not looked up.
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
