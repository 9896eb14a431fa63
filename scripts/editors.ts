/**
 * `node scripts/editors.ts`: installs the real VS Code, by which the agent host is tried, in `editors/`. It has a lock file
 * of its own, and a second one for what its server needs.
 */

import { join } from "node:path";
import { installLocked, isInstalled, npmCi } from "./locked-install.ts";

const FOLDER = join(import.meta.dirname, "../editors");
/** The folder of VS Code's own server, which has `out/server-main.js`. */
export const VSCODE: string = join(FOLDER, "node_modules/code-server/lib/vscode");

export const isVscodeInstalled = (): boolean => isInstalled(FOLDER);

if (import.meta.main) {
  // Its server asks for a peer that it does not use.
  installLocked(FOLDER, () => npmCi(VSCODE, "--omit=dev", "--legacy-peer-deps", "--loglevel=error"));
}
