import { readFileSync } from "node:fs";
import type { ProblemCode } from "@continuo/core/model";
import fc from "fast-check";
import { describe, test } from "vitest";
import { anyDamage, type Damage } from "../../damage.ts";
import { roundsOfEach } from "../../sizes/counts.ts";
import { type Damaged, expectRead, openAlone, recordFilesOf } from "../damaged-home.ts";
import { recordsIn } from "../format-cases.ts";
import { COPILOT_CASES } from "./cases.ts";

const FILES = recordFilesOf("copilot", COPILOT_CASES);
const { reader } = COPILOT_CASES;
const ID = "0c999999-0000-4000-8000-000000000001";

function openDamaged(bytes: Buffer): Promise<Damaged> {
  return openAlone({ cases: COPILOT_CASES, below: `session-state/${ID}`, name: "events.jsonl" }, bytes);
}

async function checkDamaged(damage: Damage): Promise<void> {
  const { bytes } = damage;
  using damaged = await openDamaged(bytes);
  await expectRead(damaged, { reader, damage, values: recordsIn(bytes), problems: expectedProblems(bytes) });
}

/** A problem that a plain look at the lines finds must be reported. */
function expectedProblems(bytes: Buffer): ProblemCode[] {
  const lines = bytes.toString("utf8").split("\n");
  const last = lines.pop() ?? "";
  const objects = recordsIn(bytes).filter(
    (value): value is Readonly<Record<string, unknown>> =>
      typeof value === "object" && value !== null && !Array.isArray(value),
  );
  const codes: ProblemCode[] = [];
  if (objects.length === 0) codes.push("empty");
  else if (objects[0]?.type !== "session.start") codes.push("missing_header");
  if (last.trim() !== "" && recordsIn(Buffer.from(last)).length === 0) codes.push("torn_line");
  if (lines.some((line) => line.trim() !== "" && recordsIn(Buffer.from(line)).length === 0))
    codes.push("bad_json");
  const ids = objects.map((value) => value.id).filter((id) => typeof id === "string" && id !== "");
  if (ids.length > new Set(ids).size) codes.push("duplicate_id");
  if (ids.length < objects.length) codes.push("cannot_resume");
  return codes;
}

describe("a damaged session of Copilot", () => {
  test.each(FILES.map((path) => path.split("/").slice(-5).join("/")))(
    "is read as far as it goes: %s",
    async (name) => {
      const bytes = readFileSync(FILES.find((path) => path.endsWith(name)) ?? "");
      await fc.assert(fc.asyncProperty(anyDamage(bytes), checkDamaged), {
        numRuns: roundsOfEach(25, FILES.length),
      });
    },
  );
});
