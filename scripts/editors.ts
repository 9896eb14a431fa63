/**
 * `node scripts/editors.ts`: installs the real VS Code, with which the agent host is tested, in `editors/`. The folder
 * has a lock file, and a second one for the dependencies of VS Code's server.
 */

import { join } from "node:path";
import { installLocked, isInstalled, npmCi } from "./locked-install.ts";

const FOLDER = join(import.meta.dirname, "../editors");
/** The folder of VS Code's own server, which has `out/server-main.js`. */
export const VSCODE: string = join(FOLDER, "node_modules/code-server/lib/vscode");

export const isVscodeInstalled = (): boolean => isInstalled(FOLDER);

if (import.meta.main) {
  // The server names a peer dependency that it does not use.
  installLocked(FOLDER, () => npmCi(VSCODE, "--omit=dev", "--legacy-peer-deps", "--loglevel=error"));
}
