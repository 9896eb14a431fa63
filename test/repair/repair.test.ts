/**
 * Whatever happened to a session's file, a repaired copy is complete, has the same messages, and needs no further
 * repair.
 */

import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  checkNativeSession,
  HOME_VARIABLES,
  lookUpSession,
  type Places,
  repairNativeSession,
} from "@continuo/agents";
import { isContinuoError, type Problem, type ProblemCode, severityOf } from "@continuo/core/model";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyDamage } from "../damage.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { roundsOfEach } from "../sizes/counts.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");
const LINES = ["claude", "codex", "gemini", "pi"] as const;
const CASES = LINES.flatMap((agent) =>
  readdirSync(join(FIXTURES, agent)).map((name): readonly [(typeof LINES)[number], string] => [agent, name]),
);

/** Problems that a repair of this one file cannot solve, or that are not damage of its records. */
const BEYOND_REPAIR: ReadonlySet<ProblemCode> = new Set([
  "empty",
  "missing_header",
  "missing_session_id",
  "missing_parent_session",
  "dangling_reference",
  "duplicate_id",
  "wrong_session_id",
  "bad_order",
  "expires_soon",
  "deleted_on_start",
  "lost_on_resume",
] as const);

/** A message without a type has an unknown author, so it is kept unchanged. */
function isBeyondRepair({ code, message }: Problem): boolean {
  return BEYOND_REPAIR.has(code) || (code === "bad_record" && message === "the message has no type");
}

const scratch = scratchFolder("repair");

function filesBelow(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Leaves out problems with other files, because a copy has other files next to it. */
function isOfTheFile({ file, code }: Problem): boolean {
  return file === undefined && code !== "missing_parent_session";
}

function noRecordLeft(error: unknown): null {
  if (isContinuoError(error, "invalid")) return null;
  throw error;
}

describe("any damage", () => {
  test.each(CASES)("%s/%s", async (agent, name) => {
    const home = join(scratch, agent, name);
    cpSync(join(FIXTURES, agent, name, "home"), home, { recursive: true });
    const places: Places = { home: scratch, env: { [HOME_VARIABLES[agent]]: home } };
    const file = filesBelow(home).find((path) => !path.includes("subagents"));
    if (file === undefined) return;
    const sound = readFileSync(file);
    let count = 0;
    await fc.assert(
      fc.asyncProperty(anyDamage(sound), async ({ bytes }) => {
        writeFileSync(file, bytes);
        const ref = await lookUpSession(file, { places }).catch(() => null);
        if (ref === null) return;
        const copy = join(
          scratch,
          "copies",
          `${agent}-${name}-${count++}`,
          "sessions",
          "x",
          file.split("/").at(-1) ?? "",
        );
        const repair = await repairNativeSession(ref.found, { places, write: { file: copy } }).catch(
          noRecordLeft,
        );
        if (repair === null) return;
        const { edits, written, remaining } = repair;
        expect(written).toBe(edits.length === 0 ? null : copy);
        if (written === null || !existsSync(copy)) return;
        const again = await lookUpSession(copy, { places }).catch(() => null);
        if (again === null) return;
        expect((await repairNativeSession(again.found, { places })).edits).toEqual([]);
        const { problems } = await checkNativeSession(again.found, { places });
        const damage = problems.filter((problem) => severityOf(problem) === "damage");
        expect(remaining.filter(isOfTheFile)).toEqual(damage.filter(isOfTheFile));
        expect(problems.filter((problem) => !isBeyondRepair(problem))).toEqual([]);
      }),
      { numRuns: roundsOfEach(12, CASES.length) },
    );
  });
});
