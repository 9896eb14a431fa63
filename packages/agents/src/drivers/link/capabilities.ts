/**
 * Capabilities that agents reported, stored so that nobody needs to start an agent to know them. Each program has a
 * file, which stays valid as long as the program's files are the same.
 */

import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { NO_CAPABILITIES, type SessionCapabilities } from "@continuo/core/model";
import { continuoHome, isJson, type Places, writeDurably } from "@continuo/files";

const MAX_BYTES = 1024 * 1024;

export interface KnownCapabilities {
  readonly capabilities: SessionCapabilities;
  /** The version that the program reports; `null` if it reports none. */
  readonly version: string | null;
}

export { NO_CAPABILITIES };

/** @param find asks the program; called if nothing is stored, or the program has changed */
export async function rememberCapabilities(
  places: Places,
  command: readonly string[],
  find: () => Promise<KnownCapabilities>,
): Promise<KnownCapabilities> {
  const kept = recallCapabilities(places, command);
  if (kept !== null) return kept;
  const found = await find();
  keep(fileOf(places, command), { command, stamp: stampOf(command), ...found });
  return found;
}

/** Returns the stored capabilities; `null` if there are none, or the program has changed. No program is started. */
export function recallCapabilities(places: Places, command: readonly string[]): KnownCapabilities | null {
  return readKept(fileOf(places, command), stampOf(command));
}

function fileOf(places: Places, command: readonly string[]): string {
  return join(continuoHome(places), "capabilities", `${hashOf(JSON.stringify(command))}.json`);
}

/** The stamp covers every absolute path in the command, because a command may be an interpreter with a script. */
function stampOf(command: readonly string[]): string {
  return command
    .filter((word) => isAbsolute(word))
    .map((path) => {
      const stat = statSync(path, { throwIfNoEntry: false });
      return `${path}:${stat?.mtimeMs ?? 0}:${stat?.size ?? 0}`;
    })
    .join("\n");
}

function readKept(file: string, stamp: string): KnownCapabilities | null {
  try {
    if (statSync(file).size > MAX_BYTES) return null;
    const kept: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (!isJson(kept) || kept.stamp !== stamp || !isCapabilities(kept.capabilities)) return null;
    return {
      capabilities: kept.capabilities,
      version: typeof kept.version === "string" ? kept.version : null,
    };
  } catch {
    // There is no usable stored answer, so the caller asks the program.
    return null;
  }
}

function isCapabilities(value: unknown): value is SessionCapabilities {
  return isJson(value) && Object.keys(NO_CAPABILITIES).every((name) => typeof value[name] === "boolean");
}

function keep(file: string, value: object): void {
  try {
    writeDurably(file, JSON.stringify(value));
  } catch {
    // If the file cannot be written, the next caller must start the program again; nothing else is lost.
  }
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
