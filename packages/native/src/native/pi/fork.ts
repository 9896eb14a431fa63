/**
 * Forks a session of pi, as `pi --fork` does (1.5.2): a file with a header of its own whose `parentSession`
 * names the source, and the source's entries with their ids. A cut takes only the path to one entry.
 */

import { isAbsolute, resolve } from "node:path";
import type { Message } from "@continuo/core/model";
import { exactOf, isJson, type Json } from "@continuo/files";
import type { Fork, ForkSource, NativeForker } from "../forking/index.ts";
import type { NewSession } from "../writing/index.ts";
import { filledField } from "./records.ts";

export const piForker: NativeForker = {
  agent: "pi",
  titleOf: (title) => title,
  async fork(source, session): Promise<Fork> {
    const { header, entries } = await readEntries(source);
    const { found, history, count, part } = source;
    const own = headerOf(header, session, found.location);
    const isFlat = (own.version ?? 1) === 1;
    const last = lineOf(history[count - 1]);
    const kept =
      part === "whole"
        ? entries
        : isFlat
          ? entries.filter(({ line }) => line <= last)
          : pathTo(entries, last);
    return { records: [own, ...kept.map(({ value }) => value)], count };
  },
};

interface PlacedEntry {
  readonly line: number;
  readonly value: Json;
}

interface Entries {
  readonly header: Json;
  readonly entries: readonly PlacedEntry[];
}

async function readEntries({ opened }: ForkSource): Promise<Entries> {
  let header: Json | null = null;
  const entries: PlacedEntry[] = [];
  for await (const { line, type, value } of opened.entries()) {
    if (!isJson(value)) continue;
    if (type === "session") header ??= exactOf(value);
    else entries.push({ line: line ?? 0, value: exactOf(value) });
  }
  return { header: header ?? {}, entries };
}

function headerOf(header: Json, session: NewSession, parentSession: string): Json {
  const { sessionId: id, cwd, createdMs } = session;
  const timestamp = new Date(createdMs).toISOString();
  const folder = isAbsolute(cwd) ? cwd : resolve(cwd);
  return { ...header, type: "session", id, timestamp, cwd: folder, parentSession };
}

function lineOf(message: Message | undefined): number {
  return Math.max(0, ...(message?.metadata.records ?? []).map(({ line }) => line ?? 0));
}

/** Returns the path from the root; of entries with one id the last one counts. */
function pathTo(entries: readonly PlacedEntry[], line: number): PlacedEntry[] {
  const byId = new Map<string, PlacedEntry>();
  for (const entry of entries) {
    const id = filledField(entry.value, "id");
    if (id !== null) byId.set(id, entry);
  }
  const path = new Set<PlacedEntry>();
  let at = entries.find((entry) => entry.line === line);
  while (at !== undefined && !path.has(at)) {
    path.add(at);
    at = byId.get(filledField(at.value, "parentId") ?? "");
  }
  return [...path].reverse();
}
