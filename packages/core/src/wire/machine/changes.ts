/**
 * The changes of files in a session: `GET …/changes` lists the files, `GET …/changes?path=PATH` shows the differences
 * of one file.
 */

export interface ChangedPath {
  readonly path: string;
  readonly changes: number;
  readonly added: number;
  readonly removed: number;
  readonly firstTurn: number;
  readonly lastTurn: number;
}

/** Has at most 2,000 files, in the order of their first change. */
export interface ChangesAnswer {
  readonly files: readonly ChangedPath[];
  readonly total: number;
}

/** One call that changed the file. */
export interface FileChange {
  readonly messageId: string;
  readonly index: number;
  readonly callId: string;
  readonly turn: number;
  readonly at: string | null;
  readonly tool: string;
  /** `failed`: the agent said that the change was not made. */
  readonly status: "done" | "failed" | "unknown";
  readonly lines: readonly ChangedLine[];
}

/** A line that changed, or a line of context; `…` stands for lines that are left out. Visible text. */
export interface ChangedLine {
  readonly sign: "-" | "+" | " " | "…";
  readonly text: string;
  /** The numbers of the line in the file; `null` if they are not known. */
  readonly before: number | null;
  readonly after: number | null;
}

/** The changes in order; `nextAfter` is the `after` of the next request. */
export interface FileChanges {
  readonly path: string;
  readonly changes: readonly FileChange[];
  /** The net difference of all changes; only in the first answer, and only if more than one change was made. */
  readonly net: readonly ChangedLine[] | null;
  readonly total: number;
  readonly nextAfter: number | null;
}
