/** The flags of `session export`, apart from its work. */

import type { ViewFlags } from "./view.ts";

export const EXPORT_FORMATS = ["md", "html", "json", "jsonl"] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportFlags extends ViewFlags {
  readonly format?: ExportFormat;
  readonly output?: string;
  readonly force?: true;
  readonly all?: true;
  readonly bundle?: string;
  readonly maskSecrets?: true;
}
