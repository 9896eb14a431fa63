/** The folder of the guard, `CONTINUO_HOME/guard`, and the settings in it. */

import { join } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { continuoHome, type Places, type RecordFile, recordFile } from "@continuo/files";

export function guardFolder(places: Places): string {
  return join(continuoHome(places), "guard");
}

/** Restores copies as files for readers; nothing is changed in the folder of the guard. */
export function openedFolder(places: Places): string {
  return join(guardFolder(places), "opened");
}

export interface SessionKey {
  readonly agent: string;
  readonly sessionId: string;
}

export function keyOf({ agent, sessionId }: SessionKey): string {
  return `${agent}:${sessionId}`;
}

/** The person's decisions about the guard. */
export interface GuardSettings {
  readonly on: boolean;
  /** The most that copies take on disk. */
  readonly maxBytes: number;
  /** Days after which the copy of a session that its agent deleted goes; `null`: it stays. */
  readonly maxAgeDays: number | null;
}

const DEFAULT_MAX_BYTES = 10 * 1024 ** 3;

/** Errors: `corrupt`. */
export function readGuardSettings(places: Places): GuardSettings {
  const { on, maxBytes, maxAgeDays } = settingsFile(places).read();
  return {
    on: on === true,
    maxBytes: typeof maxBytes === "number" && maxBytes >= 0 ? maxBytes : DEFAULT_MAX_BYTES,
    maxAgeDays: typeof maxAgeDays === "number" && maxAgeDays >= 0 ? maxAgeDays : null,
  };
}

/** Keys that are left out stay as they are. Errors: `corrupt`, `invalid`, `unwritable`. */
export function changeGuardSettings(places: Places, change: Partial<GuardSettings>): GuardSettings {
  const { maxBytes = 0, maxAgeDays = null } = change;
  if (!(maxBytes >= 0) || !(maxAgeDays === null || maxAgeDays >= 0))
    throw new ContinuoError("invalid", "a limit of the guard is a number of at least 0");
  const file = settingsFile(places);
  file.write({ ...file.read(), ...change });
  return readGuardSettings(places);
}

function settingsFile(places: Places): RecordFile {
  return recordFile(join(guardFolder(places), "settings.json"), {
    what: "settings of the guard",
    hint: "Run `continuo guard on` again after you moved the file away.",
  });
}
