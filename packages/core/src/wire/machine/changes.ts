/**
 * The changes of a session in files: `GET …/changes` for the files, `GET …/changes?path=PATH` for the
 * differences of one.
 */

export interface ChangedPath {
  readonly path: string;
  readonly changes: number;
  readonly added: number;
  readonly removed: number;
  readonly firstTurn: number;
  readonly lastTurn: number;
}

/** In the order of their first change, at most 2,000. */
export interface ChangesAnswer {
  readonly files: readonly ChangedPath[];
  readonly total: number;
}

/** One call that changed the file. */
export interface FileChange {
  readonly messageId: string;
  readonly index: number;
  readonly turn: number;
  readonly at: string | null;
  readonly tool: string;
  /** `failed`: the agent said that the change was not made. */
  readonly status: "done" | "failed" | "unknown";
  /** Lines with what is around them; `…` stands for lines that are left out. Visible text. */
  readonly lines: readonly { readonly sign: "-" | "+" | " " | "…"; readonly text: string }[];
}

/** In order; `after` takes `nextAfter`. */
export interface FileChanges {
  readonly path: string;
  readonly changes: readonly FileChange[];
  readonly total: number;
  readonly nextAfter: number | null;
}
