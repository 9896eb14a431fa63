/**
 * The parts of a session on disk, as data: those that are moved to the trash, and those that must not be lost
 * with it.
 */

export type TrashPlan = FilesPlan | RowsPlan;

interface PlanParts {
  /** The ids of sessions that read this one's files or rows, and must be deleted before it. */
  readonly forks: readonly string[];
}

/** Whole files and whole folders that belong only to this session. */
export interface FilesPlan extends PlanParts {
  readonly type: "files";
  readonly paths: readonly string[];
  /**
   * The lines about the session in the agent's own index files: kept with it, and written back if they are
   * missing.
   */
  readonly indexLines: readonly IndexLines[];
  /**
   * The rows about the session in the agent's own databases: kept with it, and written back if they are missing.
   * Left out where the agent has none, and in the manifests of older versions.
   */
  readonly indexRows?: readonly IndexRows[];
}

export interface IndexRows extends DatabaseRows {
  /** The values of columns as long as other files are in the place of the session's files. */
  readonly set?: Readonly<Record<string, string>>;
}

export interface IndexLines {
  /** An append-only file of lines. */
  readonly path: string;
  readonly lines: readonly string[];
}

export interface RowsPlan extends PlanParts, DatabaseRows {
  readonly type: "rows";
  /** Rows that refer to these stay in place while these are moved away and restored. */
  readonly isAlone?: true;
}

/** Rows of a database, children before the rows that they refer to. */
export interface DatabaseRows {
  readonly database: string;
  readonly tables: readonly TableRows[];
}

export interface TableRows {
  readonly name: string;
  /** The rows whose `column` has one of these values. */
  readonly column: string;
  readonly values: readonly string[];
}
