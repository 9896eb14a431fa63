/** The turns that wrote a file: `GET /v1/machine/files?path=PATH`. */

import type { BlamedLine, FileBlame, LineOrigin } from "../../model/index.ts";

export interface FileBlameAnswer extends Omit<FileBlame, "lines" | "origins"> {
  /** A line has its text only if a session wrote it; no other text of the file is sent. */
  readonly lines: readonly (Omit<BlamedLine, "text"> & { readonly text: string | null })[];
  readonly origins: readonly (LineOrigin & {
    /** The key of the session; `null` if the session is not in the list. */
    readonly key: string | null;
  })[];
}
