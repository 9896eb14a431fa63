/** Whether the file of an open database is still the one of that name. */

import { statSync } from "node:fs";
import { replacedFile, translated } from "./failures.ts";

/** To be called before each write; `undefined` for a database in memory. Errors: `unavailable`. */
export function inPlace(path: string | undefined): () => void {
  if (path === undefined) return () => undefined;
  const opened = identityOf(path);
  return () => {
    if (identityOf(path) !== opened) throw replacedFile(path);
  };
}

function identityOf(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? "gone" : `${found.dev} ${found.ino}`;
  } catch (error) {
    throw translated(error, path);
  }
}
