/** The flags of `session export`, apart from its work. */

export const EXPORT_FORMATS = ["md", "html", "json", "jsonl"] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportFlags {
  readonly format?: ExportFormat;
  readonly output?: string;
  readonly all?: true;
}
