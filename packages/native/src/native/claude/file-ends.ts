/** The two ends of a session's file, as Claude Code reads them. */

import type { FoundFile } from "@continuo/files";
import { openBytes } from "@continuo/files/records";
import { END_BYTES, type FileEnds } from "./own-list.ts";

/** Errors: `not_found`, `unreadable`. */
export async function readEnds({
  path,
  sizeBytes,
}: Pick<FoundFile, "path" | "sizeBytes">): Promise<FileEnds> {
  const bytes = openBytes(path);
  try {
    const textAt = async (position: number): Promise<string> =>
      (await bytes.read(position, END_BYTES)).toString("utf8");
    const head = await textAt(0);
    return { head, tail: sizeBytes <= END_BYTES ? head : await textAt(sizeBytes - END_BYTES) };
  } finally {
    bytes.close();
  }
}
