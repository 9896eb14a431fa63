/**
 * The file of preferences: a person's choices for the viewer, which the storage of a browser would lose, because each
 * start of a server has another host name. Keys of a later version are kept as they are.
 */

import { messageOf, present } from "@continuo/core/model";
import { isName } from "@continuo/core/wire";
import { type Preferences, THEMES, type Theme } from "@continuo/core/wire/machine";
import { type Json, recordFile } from "@continuo/files";
import type { KeptPreferences } from "../context/index.ts";

function isTheme(value: unknown): value is Theme {
  return THEMES.some((theme) => theme === value);
}

/** A file that cannot be read is reported, counts as empty, and is not overwritten. */
export function createPreferences(path: string, report: (line: string) => void): KeptPreferences {
  const file = recordFile(path, { what: "preferences", hint: "Delete the file, and choose again." });
  let reported = "";
  return {
    read: () => {
      try {
        return toPreferences(file.read());
      } catch (error) {
        const line = `warning: the preferences are not used: ${messageOf(error)}`;
        if (line !== reported) report(line);
        reported = line;
        return {};
      }
    },
    change: (some) => {
      const before = file.read();
      const record = { ...before, ...some };
      if (JSON.stringify(record) !== JSON.stringify(before)) file.write(record);
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
