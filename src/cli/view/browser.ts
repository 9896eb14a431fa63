/** The browser of the person who sits before this machine. */

import { spawn } from "node:child_process";
import { findProgram } from "../../drivers/process/index.ts";
import type { Shell } from "../terminal/index.ts";

/** Whether one was started. Through ssh the browser would be that of the other machine. */
export function openBrowser(url: string, { env, cwd }: Shell): boolean {
  if (env.SSH_CONNECTION !== undefined || env.SSH_TTY !== undefined) return false;
  const hasDisplay =
    process.platform === "darwin" || env.DISPLAY !== undefined || env.WAYLAND_DISPLAY !== undefined;
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  if (!hasDisplay || findProgram(program, env.PATH ?? "", cwd) === null) return false;
  const child = spawn(program, [url], { env: { ...env }, detached: true, stdio: "ignore" });
  // The address is printed anyway.
  child.on("error", () => undefined);
  child.unref();
  return true;
}
