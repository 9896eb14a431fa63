import { readFileSync } from "node:fs";
import type { ProblemCode } from "@continuo/core/model";
import { piFormat } from "@continuo/native/pi";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyDamage, type Damage, duplicated, shuffled } from "../../damage.ts";
import { rounds, roundsOfEach } from "../../sizes/counts.ts";
import { type Damaged, expectRead, openAlone, recordFilesOf } from "../damaged-home.ts";
import { recordsIn } from "../format-cases.ts";
import { PI_CASES } from "./cases.ts";

const NAME = "2026-05-06T07-00-00-000Z_0c999999-0000-4000-8000-000000000001.jsonl";
const FILES = recordFilesOf("pi", PI_CASES);

function openDamaged(bytes: Buffer): Promise<Damaged> {
  return openAlone({ cases: PI_CASES, below: "sessions/--home-dev-tea--", name: NAME }, bytes);
}

async function checkDamaged(damage: Damage): Promise<void> {
  const { bytes } = damage;
  using damaged = await openDamaged(bytes);
  await expectRead(damaged, {
    reader: piFormat,
    damage,
    values: recordsIn(bytes),
    problems: expectedProblems(bytes),
  });
}

/** A problem that a plain look at the lines finds must be reported. */
function expectedProblems(bytes: Buffer): ProblemCode[] {
  const lines = bytes.toString("utf8").split("\n");
  const last = lines.pop() ?? "";
  const records = recordsIn(bytes).filter((value) => typeof value === "object" && !Array.isArray(value));
  const objects = records.filter((value): value is Readonly<Record<string, unknown>> => value !== null);
  const codes: ProblemCode[] = [];
  if (objects.length === 0) codes.push("empty");
  else if (objects[0]?.type !== "session") codes.push("missing_header");
  if (last.trim() !== "" && recordsIn(Buffer.from(last)).length === 0) codes.push("torn_line");
  if (lines.some((line) => line.trim() !== "" && recordsIn(Buffer.from(line)).length === 0))
    codes.push("bad_json");
  const header = objects.find((value) => value.type === "session");
  const entries = objects.filter((value) => value.type !== "session");
  if (typeof header?.version !== "number" || header.version < 2) return codes;
  const ids = entries.map((value) => value.id).filter((id) => typeof id === "string" && id !== "");
  if (ids.length > new Set(ids).size) codes.push("duplicate_id");
  if (ids.length < entries.length) codes.push("missing_id");
  const isLost = ({ parentId }: { readonly parentId?: unknown }): boolean =>
    typeof parentId === "string" && parentId !== "" && !ids.includes(parentId);
  if (entries.some(isLost)) codes.push("dangling_parent");
  return codes;
}

describe("a damaged session of pi", () => {
  test.each(FILES.map((path) => path.split("/").slice(-5).join("/")))(
    "is read as far as it goes: %s",
    async (name) => {
      const bytes = readFileSync(FILES.find((path) => path.endsWith(name)) ?? "");
      await fc.assert(fc.asyncProperty(anyDamage(bytes), checkDamaged), {
        numRuns: roundsOfEach(25, FILES.length),
      });
    },
  );

  test("loses no message to lines in another order, and says that they are", async () => {
    const file = FILES.find((path) => path.includes("/parallel-tools/")) ?? "";
    const bytes = readFileSync(file);
    await fc.assert(
      fc.asyncProperty(shuffled(bytes), async (damage) => {
        using damaged = await openDamaged(damage.bytes);
        const seen = new Set<string>();
        for (const leaf of damaged.session.leaves) {
          for await (const message of damaged.session.history({ leaf: leaf.id })) seen.add(message.id);
        }
        expect(seen.size).toBe(recordsIn(bytes).length - 1);
        const codes = damaged.session.problems.map(({ code }) => code);
        const isMoved = !damage.bytes.equals(bytes);
        expect(codes.some((code) => code === "bad_order" || code === "missing_header")).toBe(isMoved);
      }),
      { numRuns: rounds(60) },
    );
  });

  test("makes no branch of a line that stands twice", async () => {
    const bytes = readFileSync(FILES.find((path) => path.includes("/compaction/")) ?? "");
    await fc.assert(
      fc.asyncProperty(duplicated(bytes), async (damage) => {
        using damaged = await openDamaged(damage.bytes);
        // A copy at the end is where pi goes on: what followed the original is a branch then.
        expect(damaged.session.leaves.length).toBeLessThanOrEqual(2);
        expect(damaged.session.details.usage).toEqual(await usageOf(bytes));
      }),
      { numRuns: rounds(60) },
    );
  });
});

async function usageOf(bytes: Buffer): Promise<unknown> {
  using whole = await openDamaged(bytes);
  return whole.session.details.usage;
}
