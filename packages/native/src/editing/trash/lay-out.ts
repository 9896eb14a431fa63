/** Gives the reader of an agent a deleted session in its old form, in a private folder inside the trash. */

import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { type FoundFile, makeScratchFolder, namesIn, type Places, statFile } from "@continuo/files";
import type { KeptFile } from "./files.ts";
import { MANIFEST, readManifest, trashFolder } from "./manifest.ts";
import { keptDatabase, ROWS_FILE } from "./rows.ts";

export interface ReadableTrash extends Disposable {
  /** The present place of the session, in the form that a reader accepts. */
  readonly location: string;
  /** Its other files, for example those of its sub-agents. */
  readonly others: readonly string[];
}

/** All files of a deleted session in the trash. If the session changed, the stamp of one of them changed. */
export function trashedFiles(trashId: string, places: Places): readonly FoundFile[] {
  const folder = join(trashFolder(places), trashId);
  const kept = namesIn(join(folder, "files")).map((name) => join(folder, "files", name));
  return [join(folder, MANIFEST), join(folder, ROWS_FILE), ...kept].flatMap((path) => statFile(path) ?? []);
}

/** Returns `null` if the session is no longer in the trash. Dispose of the result; the trash itself does not change. */
export async function layOutTrashed(trashId: string, places: Places): Promise<ReadableTrash | null> {
  const folder = join(trashFolder(places), trashId);
  const manifest = readManifest(join(folder, MANIFEST));
  if (manifest === null) return null;
  const { plan, files, info } = manifest;
  const scratch = mkdtempSync(join(folder, "laid-out-"));
  const remove = (): void => rmSync(scratch, { recursive: true, force: true });
  try {
    if (plan.type === "rows") {
      const path = join(scratch, basename(plan.database));
      await keptDatabase(folder, path);
      return { location: `${path}#${info.sessionId}`, others: [], [Symbol.dispose]: remove };
    }
    for (const file of files) link(file, folder, scratch);
    const others = files.filter(({ from }) => from !== info.location).map(({ from }) => join(scratch, from));
    return { location: join(scratch, info.location), others, [Symbol.dispose]: remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function link({ from, to }: KeptFile, folder: string, scratch: string): void {
  const path = join(scratch, from);
  // A manifest of Continuo never names a file outside of the folder.
  if (!path.startsWith(`${scratch}${sep}`)) return;
  makeScratchFolder(dirname(path));
  symlinkSync(join(folder, to), path);
}
