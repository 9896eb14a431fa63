/** Functions of `serve` for other commands: the machine (loaded at the first call), the page, and the stop signal. */

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import type { MachineService } from "@continuo/core/wire/machine";
import { continuoHome, packageFile } from "@continuo/files";
import type { Shell } from "../terminal/index.ts";

/** The sessions of this machine, as the server shows them. */
export async function machineWork(shell: Shell): Promise<MachineService> {
  return await (await import("./served-machine.ts")).loadMachine(shell, { reach: "machine" });
}

/** Safari does not resolve names below `localhost`; the browsers of other systems do. */
export const HAS_PAGE_NAMES: boolean = process.platform !== "darwin";

/**
 * The host name of the pages of one start. No other program can have had the name before, so a browser has stored
 * nothing for it, such as a service worker of a program that used the port. `undefined` if the browsers of this system
 * do not resolve such names.
 */
export function newPageName(): string | undefined {
  return HAS_PAGE_NAMES ? `continuo-${randomBytes(16).toString("hex")}.localhost` : undefined;
}

/**
 * A server for other machines must be behind TLS, unless the operator states explicitly that there is none. Errors:
 * `usage`.
 */
export function assertTls(host: string, { isLoopback, publicUrl }: ServerReach): void {
  if (isLoopback || publicUrl !== undefined) return;
  throw new ContinuoError(
    "usage",
    `cannot listen on ${host}: other machines would reach the server without TLS`,
    {
      hint:
        "Put a proxy with TLS before it and name its address with --public-url https://HOST. Where nobody else can listen, " +
        "--public-url http://HOST serves without TLS.",
    },
  );
}

interface ServerReach {
  readonly isLoopback: boolean;
  readonly publicUrl: string | undefined;
}

/** The warning for a person whose tokens and conversations would be sent without encryption; `null` if they are not. */
export function clearTextWarning(isLoopback: boolean, publicUrl: string | undefined): string | null {
  if (isLoopback || publicUrl?.startsWith("https:")) return null;
  return (
    "warning: other machines reach this server without TLS, so whoever is between them reads tokens and conversations. " +
    "Put a proxy with TLS before it, and name its address with --public-url https://….\n"
  );
}

/** The folder into which `npm run prepare` writes the page. */
export function viewerFolder(): string {
  return packageFile("dist/web") ?? "dist/web";
}

/**
 * The file with a person's choices in the viewer: its pages have another host name at each start, so a browser would
 * lose them.
 */
export function preferencesFileOf(shell: Pick<Shell, "home" | "env">): string {
  return join(continuoHome(shell), "preferences.json");
}

/** The folder into which a person puts Whisper for the browser extension. */
export function whisperFolderOf(shell: Pick<Shell, "home" | "env">): string {
  return join(continuoHome(shell), "whisper");
}

/**
 * Prints reports of a server. The lines after the first one are indented, so that text from other sources cannot look
 * like a report.
 */
export function reporterTo({ stderr }: Pick<Shell, "stderr">): (report: string) => void {
  return (report) => {
    const lines = report.split("\n").map((line) => visibleLine(line.trimEnd()));
    stderr.write(`${lines.join("\n    ")}\n`);
  };
}

/** Resolves at the first SIGTERM or Ctrl-C; the next one ends the process. */
export function stopSignal(shell: Shell): Promise<void> {
  return new Promise((resolve) => {
    const held: Disposable[] = [];
    const stop = (): void => {
      for (const one of held) one[Symbol.dispose]();
      resolve();
    };
    held.push(shell.holdTermination(stop), shell.holdInterrupts(stop));
  });
}
