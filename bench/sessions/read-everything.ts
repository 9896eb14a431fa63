/** Reads every session of a home in full, or only parses the same bytes: `node read-everything.ts sessions|json`. */

import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const LIBRARY = "../../dist/index.js";

async function readSessions(): Promise<void> {
  const { findNativeSessions, openNativeSession }: typeof import("../../src/index.ts") = await import(
    LIBRARY
  );
  let messages = 0;
  for await (const found of findNativeSessions()) {
    using opened = await openNativeSession(found);
    for await (const message of opened.history()) messages += message.content.length > 0 ? 1 : 0;
  }
  if (messages === 0) throw new Error("nothing was read");
}

function parseJson(): void {
  let bytes = 0;
  for (const entry of readdirSync(homedir(), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.name.endsWith(".jsonl")) bytes += parseLines(readFileSync(path, "utf8"));
    if (entry.name === "opencode.db") bytes += parseRows(path);
  }
  if (bytes === 0) throw new Error("nothing was parsed");
}

function parseLines(text: string): number {
  let parsed = 0;
  for (const line of text.split("\n")) {
    if (line === "") continue;
    JSON.parse(line);
    parsed += line.length;
  }
  return parsed;
}

function parseRows(path: string): number {
  using db = new DatabaseSync(path, { readOnly: true });
  let parsed = 0;
  for (const table of ["message", "part"]) {
    for (const row of db.prepare(`SELECT data FROM ${table}`).iterate()) {
      const data = String(row.data);
      JSON.parse(data);
      parsed += data.length;
    }
  }
  return parsed;
}

if (process.argv[2] === "json") parseJson();
else await readSessions();
