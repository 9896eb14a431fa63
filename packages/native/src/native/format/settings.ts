/** An agent's own settings: the record of folders that its person trusts, and an entry for an MCP server. */

import { isJson, type Json, readSmallFile } from "@continuo/files";
import type { ServerCommand } from "./agent.ts";

/** A record above this size trusts no folder. */
const MAX_RECORD_BYTES = 8 * 1024 * 1024;

/** Empty for a record that cannot be read, which trusts no folder. */
export function readRecordText(path: string): string {
  return readSmallFile(path, { maxBytes: MAX_RECORD_BYTES }) ?? "";
}

/** Empty for a record that is not a JSON object, which trusts no folder. */
export function readRecord(path: string): Json {
  try {
    return objectIn(JSON.parse(readRecordText(path)));
  } catch {
    return {};
  }
}

export function objectIn(value: unknown): Json {
  return isJson(value) ? value : {};
}

/** The keys that most agents share: the command, its arguments, and its variables if there are any. */
export function serverEntry({ command, args, env }: ServerCommand): Json {
  return { command, args, ...(Object.keys(env).length === 0 ? {} : { env }) };
}
