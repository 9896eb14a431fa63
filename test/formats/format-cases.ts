/**
 * The tests that the format cases of every agent pass. A case is a folder next to the agent's tests: `home/` as the
 * agent keeps it, `expected.json` with the session as Continuo reads it (`toModel`), and a README that names its
 * origin.
 */

import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import type { AgentName, Message } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import type { AgentReader, FoundSession } from "@continuo/native/kit";
import { describe, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";

export interface FormatCases {
  readonly agent: AgentName;
  readonly reader: AgentReader;
  /** The folder that holds the cases. */
  readonly folder: string;
  readonly placesOf: (home: string) => Places;
  /**
   * Returns true if the record contains the native value of a message (it can be a list of messages), or equals it. It
   * is `null` if one message can be made of several records.
   */
  readonly holds?: ((record: unknown, native: unknown) => boolean) | null;
  /** True if a line that is not JSON also becomes an entry. */
  readonly keepsBadLines?: boolean;
}

export function casesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}

export async function findAll({ reader, placesOf }: FormatCases, home: string): Promise<FoundSession[]> {
  const found = await Array.fromAsync(reader.find(placesOf(home), {}));
  return found.sort((a, b) => (a.location < b.location ? -1 : 1));
}

/**
 * All sessions of a home as plain data: details, branches, the active history, and the messages that the model
 * receives.
 */
export async function toModel(cases: FormatCases, home: string): Promise<unknown> {
  const { reader, placesOf } = cases;
  const sessions: unknown[] = [];
  for (const found of await findAll(cases, home)) {
    using session = await reader.open(found, placesOf(home), {});
    // The value of `live` depends on the system.
    const { live: _live, ...row } = session.details;
    const mtime = new Date(found.files.at(-1)?.mtimeMs ?? 0).toISOString();
    const details = row.updatedAt === mtime ? { ...row, updatedAt: "mtime" } : row;
    const history = await Array.fromAsync(session.history());
    const branches: Record<string, string[]> = {};
    for (const leaf of session.leaves.filter(({ active }) => !active)) {
      branches[leaf.id] = (await Array.fromAsync(session.history({ leaf: leaf.id }))).map(toLine);
    }
    const view = reader.modelView(history).map(toLine);
    sessions.push({ details, leaves: session.leaves, history, branches, view });
  }
  return JSON.parse(JSON.stringify(sessions).replaceAll(home, "~"));
}

/** Declares the tests of every case. */
export function testFormatCases(cases: FormatCases): void {
  const { reader, folder, placesOf, holds } = cases;
  const homeOf = (name: string): string => join(folder, name, "home");
  const scratch = scratchFolder("cases");

  describe.each(casesIn(folder))("format case %s", (name) => {
    test("is read as expected", async () => {
      const expected: unknown = JSON.parse(readFileSync(join(folder, name, "expected.json"), "utf8"));
      expect(await toModel(cases, homeOf(name))).toEqual(expected);
    });

    test("has the same row whether skimmed or read in full", async () => {
      for (const found of await findAll(cases, homeOf(name))) {
        const { problems: _problems, ...row } = await reader.skim(found, { part: "whole" });
        using session = await reader.open(found, placesOf(homeOf(name)), {});
        expect(session.details).toMatchObject(row);
        expect(session.details.problems).toEqual(session.problems);
      }
    });

    test("is not changed by reading, not in a byte and not in a time stamp", async () => {
      const home = join(scratch, name);
      cpSync(homeOf(name), home, { recursive: true });
      // The times are long past, so that every change of a file is noticed.
      for (const path of readdirSync(home, { recursive: true, encoding: "utf8" })) {
        utimesSync(join(home, path), 1_600_000_000, 1_600_000_000);
      }
      const before = fingerprintOf(home);
      await toModel(cases, home);
      for (const found of await findAll(cases, home)) {
        await reader.skim(found, { part: "ends" });
        await reader.recognise(found.location, placesOf(home));
        using session = await reader.open(found, placesOf(home), { newestBytes: 500 });
        await Array.fromAsync(session.entries());
      }
      expect(fingerprintOf(home)).toEqual(before);
    });

    test("gives every record as an entry, verbatim", async () => {
      for (const found of await findAll(cases, homeOf(name))) {
        using session = await reader.open(found, placesOf(homeOf(name)), {});
        const entries = await Array.fromAsync(session.entries());
        const records = found.files.flatMap(({ path }) => valuesIn(cases, readFileSync(path)));
        expect(entries.map(({ value }) => value)).toEqual(records);
      }
    });

    test("has as many messages on each branch as it says, each with an id of its own", async () => {
      for (const found of await findAll(cases, homeOf(name))) {
        using session = await reader.open(found, placesOf(homeOf(name)), {});
        for (const { id, messages } of session.leaves) {
          const history = await Array.fromAsync(session.history({ leaf: id }));
          expect(history).toHaveLength(messages);
          expect(new Set(history.map((message) => message.id)).size).toBe(messages);
        }
      }
    });

    if (holds === null) return;
    test("gives every message with the records that it came from", async () => {
      for (const found of await findAll(cases, homeOf(name))) {
        using session = await reader.open(found, placesOf(homeOf(name)), {});
        const entries = await Array.fromAsync(session.entries());
        for (const message of await Array.fromAsync(session.history({ native: true }))) {
          const lines = (message.metadata.records ?? []).map((place) => place.line ?? null);
          const values = entries.filter((entry) => lines.includes(entry.line)).map(({ value }) => value);
          if (holds === undefined) expect(message.metadata.native).toEqual(values);
          else {
            for (const native of message.metadata.native ?? [undefined]) {
              expect(values.some((value) => holds?.(value, native))).toBe(true);
            }
          }
        }
      }
    });
  });
}

/** Lines that are JSON. This reader shares no code with the one under test. */
export function recordsIn(bytes: Buffer): unknown[] {
  return linesIn(bytes).filter((value) => value !== undefined);
}

/** The values of the entries of a file. If the agent keeps bad lines, each of them is `undefined`. */
export function valuesIn({ keepsBadLines = false }: FormatCases, bytes: Buffer): unknown[] {
  return keepsBadLines ? linesIn(bytes) : recordsIn(bytes);
}

function linesIn(bytes: Buffer): unknown[] {
  const lines = bytes
    .toString("utf8")
    .replace(/^\ufeff/u, "")
    .split("\n");
  return lines.filter((line) => line.trim() !== "").map(parseOrNothing);
}

function parseOrNothing(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function fingerprintOf(home: string): unknown {
  return readdirSync(home, { recursive: true, encoding: "utf8" }).map((name) => {
    const stat = statSync(join(home, name));
    const { mtimeMs, ctimeMs, size, mode } = stat;
    const hash = stat.isFile()
      ? createHash("sha256")
          .update(readFileSync(join(home, name)))
          .digest("hex")
      : "";
    return { name, mtimeMs, ctimeMs, size, mode, hash };
  });
}

/** One line for each message: its role, and its content, shortened. */
function toLine({ role, content }: Message): string {
  const blocks = content.map((block) => {
    if (block.type === "text" || block.type === "thinking") return block.text.slice(0, 60);
    if (block.type === "tool_call") return `${block.name}#${block.id}`;
    if (block.type !== "tool_result") return block.type;
    return `#${block.toolCallId} ${block.status ?? ""} ${block.content.map((part) => (part.type === "text" ? part.text.slice(0, 60) : part.type)).join(" | ")}`;
  });
  return `${role}: ${blocks.join(" | ")}`;
}
