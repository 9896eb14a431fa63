/**
 * pi stores the tools of a session in the session (1.5.2; 0.73.1 and 0.87.1 do not), so tools that `safe` removed would
 * stay removed. Continuo records which sessions it restricted to reading, and restores their tools when they continue
 * under another policy.
 */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type CallOptions, present } from "@continuo/core/model";
import { continuoHome, isJson, type Places, writeDurably } from "@continuo/files";
import { openLines } from "@continuo/files/records";
import { READING_TOOLS } from "./policy.ts";

/** Records that the session was restricted to reading. Errors: those of the system. */
export function noteHeld(places: Places, sessionId: string): void {
  writeDurably(noteOf(places, sessionId), `${sessionId}\n`);
}

export interface HeldSession extends CallOptions {
  readonly places: Places;
  readonly sessionId: string;
  readonly path: string;
}

/** The names of the tools to restore; none for a session that was not restricted, or that has other tools again. */
export async function heldTools({
  places,
  sessionId,
  path,
  signal,
}: HeldSession): Promise<readonly string[]> {
  if (!existsSync(noteOf(places, sessionId))) return [];
  const named = new Set<string>();
  const active = new Set<string>();
  using lines = openLines(path, Number.POSITIVE_INFINITY);
  for await (const records of lines.scan(present({ part: "whole", signal }))) {
    for (const { value } of records) {
      const { added, removed } = changeOf(value);
      for (const name of [...added, ...removed]) named.add(name);
      for (const name of added) active.add(name);
      for (const name of removed) active.delete(name);
    }
  }
  if ([...active].some((name) => !READING_TOOLS.includes(name))) return [];
  // A session that began with only the reading tools names no others, so it gets pi's default tools.
  const before = [...named].filter((name) => !READING_TOOLS.includes(name));
  return before.length > 0 ? before : ["bash", "edit", "write"];
}

function changeOf(record: unknown): { readonly added: string[]; readonly removed: string[] } {
  const message = isJson(record) && isJson(record.message) ? record.message : {};
  if (message.role !== "system") return { added: [], removed: [] };
  return { added: namesIn(message.toolsAdded), removed: namesIn(message.toolsRemoved) };
}

function namesIn(tools: unknown): string[] {
  return (Array.isArray(tools) ? tools : []).flatMap((tool) =>
    isJson(tool) && typeof tool.name === "string" ? [tool.name] : [],
  );
}

function noteOf(places: Places, sessionId: string): string {
  const name = createHash("sha256").update(sessionId).digest("hex").slice(0, 32);
  return join(continuoHome(places), "policies", "pi", name);
}
