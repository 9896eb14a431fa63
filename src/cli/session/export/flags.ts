/** The flags of `session export` without its work. */

import type { ViewFlags } from "../show/index.ts";

/** The forms of training data: one line of JSON for a session. */
export const DATASET_FORMATS = ["openai", "anthropic", "sharegpt"] as const;

export type DatasetFormat = (typeof DATASET_FORMATS)[number];

export type ExportFormat = "md" | "html" | "json" | "jsonl" | DatasetFormat;

/** They choose many sessions for one data set. */
export interface SessionFilters {
  readonly agent?: readonly string[];
  readonly here?: true;
  readonly project?: string;
  readonly since?: string;
  readonly until?: string;
}

/** True if the filters choose the sessions, so that all of them become one data set. */
export function isMany({ agent, here, project, since, until }: SessionFilters): boolean {
  return (agent ?? here ?? project ?? since ?? until) !== undefined;
}

export interface ExportFlags extends ViewFlags, SessionFilters {
  readonly format?: ExportFormat;
  readonly output?: string;
  readonly force?: true;
  readonly all?: true;
  /** Only for `html`. */
  readonly turns?: string;
  readonly bundle?: string;
  /** Training data is also masked without this flag. */
  readonly maskSecrets?: true;
}
