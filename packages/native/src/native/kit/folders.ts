/** Folders with sessions: the names in them, or the reason why they cannot be read. */

import { readdirSync } from "node:fs";
import { basename } from "node:path";
import type { AgentName } from "@continuo/core/model";
import { toReadError } from "@continuo/files/records";
import type { FoundSession } from "./port.ts";

export interface SessionFolder {
  /** Sorted; none where the folder is missing. */
  readonly names: readonly string[];
  /** The entry for a folder that cannot be read, in place of its sessions. */
  readonly unreadable: readonly FoundSession[];
}

export function readSessionFolder(agent: AgentName, folder: string): SessionFolder {
  try {
    return { names: readdirSync(folder).sort(), unreadable: [] };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return { names: [], unreadable: [] };
    const { message } = toReadError(folder, error);
    const found = {
      agent,
      sessionId: basename(folder),
      location: folder,
      files: [],
      archived: false,
      live: null,
    };
    return { names: [], unreadable: [{ ...found, problems: [{ code: "unreadable", line: null, message }] }] };
  }
}
