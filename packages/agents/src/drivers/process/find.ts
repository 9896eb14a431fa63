/** Finds the file of a program. */

import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve, sep } from "node:path";

/** The file that a command starts: a path as it is, else the first file of that name on the search path. */
export function findProgram(command: string, searchPath: string, cwd: string): string | null {
  if (command.includes(sep) || isAbsolute(command)) {
    const path = resolve(cwd, command);
    return isProgram(path) ? path : null;
  }
  for (const folder of searchPath.split(delimiter)) {
    if (folder !== "" && isProgram(join(folder, command))) return join(folder, command);
  }
  return null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // It does not exist, this user may not start it, or it is in a folder of the search path that another user keeps
    // private.
    return false;
  }
}
