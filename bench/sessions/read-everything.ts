/**
 * Reads every session of a home completely, or only parses the same bytes: `node read-everything.ts sessions|json
 * [AGENT]`, of one agent if it is named.
 */

import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { AGENT_NAMES } from "@continuo/core/model";

const LIBRARY = "../../dist/index.js";
const [, , what, named] = process.argv;
const agent = AGENT_NAMES.find((name) => name === named);

/** The agents whose folder has another name. */
const FOLDERS: Readonly<Record<string, string>> = {
  claude: ".claude",
  codex: ".codex",
  gemini: ".gemini",
  pi: ".pi",
};

async function readSessions(): Promise<void> {
  const { findNativeSessions, openNativeSession }: typeof import("../../src/index.ts") = await import(
    LIBRARY
  );
  let messages = 0;
  for await (const found of findNativeSessions(agent === undefined ? {} : { agents: [agent] })) {
    using opened = await openNativeSession(found);
    for await (const message of opened.history()) messages += message.content.length > 0 ? 1 : 0;
  }
  if (messages === 0) throw new Error("nothing was read");
}

function parseJson(): void {
  let bytes = 0;
  for (const entry of readdirSync(homedir(), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (agent !== undefined && !path.includes(`/${FOLDERS[agent] ?? agent}/`)) continue;
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

if (what === "json") parseJson();
else await readSessions();
