/**
 * The file of preferences: what a person chose for the viewer, which the storage of a browser forgets, because each start of a
 * server has another host name. Keys of a later version are kept as they are.
 */

import { existsSync } from "node:fs";
import { ContinuoError, messageOf, present } from "@continuo/core/model";
import { isName } from "@continuo/core/wire";
import { type Preferences, THEMES, type Theme } from "@continuo/core/wire/machine";
import { type Json, readJsonFile, writeDurably, writeFailure } from "@continuo/files";
import type { KeptPreferences } from "../context/index.ts";

const VERSION = 1;

export function isTheme(value: unknown): value is Theme {
  return THEMES.some((theme) => theme === value);
}

/** A file that cannot be read is reported, counts as empty, and is not overwritten. */
export function createPreferences(path: string, report: (line: string) => void): KeptPreferences {
  let reported = "";
  return {
    read: () => {
      try {
        return toPreferences(readRecord(path));
      } catch (error) {
        const line = `warning: the preferences are not used: ${messageOf(error)}`;
        if (line !== reported) report(line);
        reported = line;
        return {};
      }
    },
    change: (some) => {
      const before = readRecord(path);
      const record = { ...before, ...some };
      if (JSON.stringify(record) !== JSON.stringify(before)) writeRecord(path, record);
      return toPreferences(record);
    },
  };
}

/** Values that this version does not know are left out. */
function toPreferences({ theme, channelName }: Json): Preferences {
  return present({
    theme: isTheme(theme) ? theme : undefined,
    channelName: isName(channelName) ? channelName : undefined,
  });
}

/** Errors: `corrupt`. */
function readRecord(path: string): Json {
  if (!existsSync(path)) return { version: VERSION };
  const record = readJsonFile(path);
  if (record?.version === VERSION) return record;
  throw new ContinuoError("corrupt", `cannot read ${path}: it is not a file of preferences`, {
    hint: "Delete the file, and choose again.",
  });
}

/** Errors: `unwritable`. */
function writeRecord(path: string, record: Json): void {
  try {
    writeDurably(path, `${JSON.stringify(record, null, 2)}\n`);
  } catch (cause) {
    throw writeFailure(`cannot write ${path}`, cause);
  }
}
