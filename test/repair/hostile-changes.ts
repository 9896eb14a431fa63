/** Changes to the records of a session that only damage or malice can cause, and all readers of the result. */

import { readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import {
  checkNativeSession,
  listNativeSessions,
  type Places,
  readNativeSession,
  repairNativeSession,
} from "@continuo/agents";
import { convertMessages } from "@continuo/agents/handoff/converting";
import { AGENT_NAMES, type AgentName, isContinuoError } from "@continuo/core/model";
import { messageToHtml } from "@continuo/core/transcript/html";
import fc from "fast-check";
import { expect } from "vitest";
import { messageToMarkdown } from "../../packages/core/src/transcript/render/index.ts";

/** The texts of a session's records, and the function that replaces them by changed ones. */
export interface Records {
  readonly texts: readonly string[];
  write(texts: readonly string[]): void;
}

export function recordsOf(agent: AgentName, location: string): Records {
  if (agent !== "opencode") {
    const texts = readFileSync(location, "utf8").split("\n").slice(0, -1);
    return { texts, write: (lines) => writeFileSync(location, lines.map((line) => `${line}\n`).join("")) };
  }
  const path = location.replace(/#.*/u, "");
  const tables = ["message", "part"];
  using database = new DatabaseSync(path);
  const rows = tables.flatMap((table) =>
    database
      .prepare(`select id, data from ${table}`)
      .all()
      .map((row) => ({ table, id: String(row.id), data: String(row.data) })),
  );
  return {
    texts: rows.map(({ data }) => data),
    write(texts) {
      using writable = new DatabaseSync(path);
      for (const [at, { table, id }] of rows.entries()) {
        writable.prepare(`update ${table} set data = ? where id = ?`).run(texts[at] ?? "", id);
      }
    },
  };
}

/** Changes the texts of all records. */
export type Change = (texts: readonly string[]) => readonly string[];

const HOSTILE = ["__proto__", "constructor", "hasOwnProperty", "toString", "valueOf", "isPrototypeOf"];
const NAMES = ["type", "role", "kind", "status", "name", "id", "api", "stopReason", "tool", "model"];

/** One text value under a name that readers look up becomes a name that every object has. */
export const renamed: fc.Arbitrary<Change> = fc
  .record({ at: fc.nat(), which: fc.nat(), name: fc.constantFrom(...HOSTILE) })
  .map(({ at, which, name }) => (texts: readonly string[]): string[] => {
    const line = at % texts.length;
    const pattern = new RegExp(`"(?:${NAMES.join("|")})":"[^"\\\\]*"`, "gu");
    const places = [...(texts[line] ?? "").matchAll(pattern)];
    const place = places[which % Math.max(1, places.length)];
    if (place === undefined) return [...texts];
    const fresh = place[0].replace(/:".*/su, () => `:${JSON.stringify(name)}`);
    const text = `${place.input.slice(0, place.index)}${fresh}${place.input.slice(place.index + place[0].length)}`;
    return texts.with(line, text);
  });

/** A field that any record may have, or a text that stands in one, becomes a deep value. */
export const nested: fc.Arbitrary<Change> = fc
  .record({
    at: fc.nat(),
    which: fc.nat(),
    depth: fc.constantFrom(400, 3_000, 20_000),
    isList: fc.boolean(),
    isText: fc.boolean(),
  })
  .map(({ at, which, depth, isList, isText }) => (texts: readonly string[]): string[] => {
    const line = at % texts.length;
    const [open, close] = isList ? ["[", "]"] : ['{"a":', "}"];
    const deep = `${open.repeat(depth)}1${close.repeat(depth)}`;
    const value = isText ? JSON.stringify(deep) : deep;
    const places = [...(texts[line] ?? "").matchAll(/:(?:"[^"\\]*"|\d+|\{\}|null)/gu)];
    const place = places[which % Math.max(1, places.length)];
    if (place === undefined) return [...texts];
    const end = place.index + place[0].length;
    return texts.with(line, `${place.input.slice(0, place.index)}:${value}${place.input.slice(end)}`);
  });

/** Accepts errors with a code, such as a session without any content; an error without a code is a mistake of ours. */
function refused(error: unknown): null {
  if (isContinuoError(error)) return null;
  throw error;
}

export async function everyReader(location: string, agent: AgentName, places: Places): Promise<void> {
  const listed = await listNativeSessions({ agents: [agent], places, archived: "include" });
  expect(listed.length).toBeGreaterThan(0);
  for (const info of listed) {
    await checkNativeSession(info, { places });
    const read = await readNativeSession(info, { places }).catch(refused);
    if (read === null) continue;
    expect(JSON.stringify(read.messages)).toEqual(expect.any(String));
    for (const message of read.messages) {
      messageToMarkdown(message, { tools: "full" });
      messageToHtml(message);
    }
    for (const target of AGENT_NAMES) convertMessages(read.messages, target);
  }
  await repairNativeSession(location, { places }).catch(refused);
}
