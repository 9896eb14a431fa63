/** Writes many small sessions, each with a unique word. */

import { claudeFile, claudeText, type Home } from "./home.ts";

export function wombatFile(at: number): string {
  return claudeFile(idOf(at));
}

export function writeWombats(home: Home, count: number): void {
  for (let at = 0; at < count; at++) {
    const line = { uuid: "u1", parent: null, role: "user", content: `Say wombat${at}` } as const;
    home.write(wombatFile(at), claudeText(idOf(at), [{ ...line, time: "10:00:00" }]));
  }
}

function idOf(at: number): string {
  return `4bf3c2a1-0000-4000-9000-${String(at).padStart(12, "0")}`;
}
