/**
 * Converts sub-agents of another session to sub-agents of a new one: `SID/subagents/agent-ID.jsonl`, with the note next
 * to it.
 */

import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Json, textField } from "@continuo/files";
import { changeLines, type NewSession, type SideFile } from "../writing/index.ts";
import { inSession } from "./bring-back.ts";
import { sidecarFolder } from "./sidecar-files.ts";

export function bringSubagent(
  location: string,
  parent: NewSession,
  sessionFile: string,
): readonly SideFile[] {
  const folder = join(sidecarFolder(sessionFile), "subagents");
  let cwd: string | null = null;
  const change = (line: Json): Json => {
    cwd ??= textField(line, "cwd");
    return inSession(line, cwd, parent);
  };
  const lines = changeLines(readFileSync(location, "utf8"), change);
  const note = location.replace(/\.jsonl$/u, ".meta.json");
  const path = join(folder, basename(location));
  return [
    { how: "append", path, text: lines },
    ...(existsSync(note)
      ? [{ how: "append" as const, path: join(folder, basename(note)), text: readFileSync(note, "utf8") }]
      : []),
  ];
}
