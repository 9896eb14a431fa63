/** The flags of `session export`, apart from its work. */

import type { ViewFlags } from "../show/index.ts";

export type ExportFormat = "md" | "html" | "json" | "jsonl";

export interface ExportFlags extends ViewFlags {
  readonly format?: ExportFormat;
  readonly output?: string;
  readonly force?: true;
  readonly all?: true;
  readonly bundle?: string;
  readonly maskSecrets?: true;
}
