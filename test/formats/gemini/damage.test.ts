import { readFileSync } from "node:fs";
import { type ProblemCode, textOf } from "@continuo/core/model";
import { geminiFormat } from "@continuo/native/gemini";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyDamage, type Damage, duplicated } from "../../damage.ts";
import { rounds, roundsOfEach } from "../../sizes/counts.ts";
import { type Damaged, expectRead, openAlone, recordFilesOf } from "../damaged-home.ts";
import { recordsIn } from "../format-cases.ts";
import { GEMINI_CASES } from "./cases.ts";

const NAME = "session-2026-05-06T07-00-0f999999.jsonl";
const FILES = recordFilesOf("gemini", GEMINI_CASES);

function openDamaged(bytes: Buffer, name = NAME): Promise<Damaged> {
  return openAlone({ cases: GEMINI_CASES, below: ".gemini/tmp/tea/chats", name }, bytes);
}

async function checkDamaged(damage: Damage): Promise<void> {
  const { bytes, what } = damage;
  using damaged = await openDamaged(bytes);
  const problems = expectedProblems(bytes);
  const messages = await expectRead(damaged, {
    reader: geminiFormat,
    damage,
    values: recordsIn(bytes),
    problems,
  });
  const seen = new Set(messages.map(({ content }) => textOf(content)));
  for (const text of saidIn(bytes)) expect(seen, what).toContain(text);
}

/** A problem that a plain look at the lines finds must be reported. */
function expectedProblems(bytes: Buffer): ProblemCode[] {
  const lines = bytes.toString("utf8").split("\n");
  const last = lines.pop() ?? "";
  const codes: ProblemCode[] = [];
  if (bytes.length === 0) codes.push("empty");
  if (last.trim() !== "" && recordsIn(Buffer.from(last)).length === 0) codes.push("torn_line");
  if (lines.some((line) => line.trim() !== "" && recordsIn(Buffer.from(line)).length === 0))
    codes.push("bad_json");
  const objects = recordsIn(bytes).filter(isObject);
  const isHeader = (value: Json): boolean =>
    typeof value.sessionId === "string" &&
    typeof value.projectHash === "string" &&
    typeof value.id !== "string";
  if (objects.length > 0 && !objects.some(isHeader)) codes.push("missing_header");
  return codes;
}

type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Texts of answers on lines of their own: each of them is in some branch, whatever the lines became. */
function saidIn(bytes: Buffer): string[] {
  return recordsIn(bytes)
    .filter(isObject)
    .filter((value) => value.type === "gemini" && typeof value.$rewindTo !== "string")
    .flatMap((value) => (typeof value.id === "string" ? [value.content] : []))
    .filter((content): content is string => typeof content === "string");
}

describe("a damaged session of Gemini CLI", () => {
  test.each(FILES.map((path) => path.split("/").slice(-8).join("/")))(
    "is read as far as it goes: %s",
    async (name) => {
      const bytes = readFileSync(FILES.find((path) => path.endsWith(name)) ?? "");
      await fc.assert(fc.asyncProperty(anyDamage(bytes), checkDamaged), {
        numRuns: roundsOfEach(25, FILES.length),
      });
    },
  );

  test("counts no answer twice when a line stands twice", async () => {
    const bytes = readFileSync(FILES.find((path) => path.includes("/parallel-tools/")) ?? "");
    using whole = await openDamaged(bytes);
    const { usage } = whole.session.details;
    await fc.assert(
      fc.asyncProperty(duplicated(bytes), async (damage) => {
        using damaged = await openDamaged(damage.bytes);
        expect(damaged.session.details.usage).toEqual(usage);
      }),
      { numRuns: rounds(40) },
    );
  });

  test("in an older file of one object is reported, and nothing is thrown", async () => {
    const object = {
      sessionId: "0f999999-0000-4000-8000-000000000009",
      projectHash: "x",
      messages: [{ id: "1", type: "user", content: "Hello." }],
    };
    const text = JSON.stringify(object, null, 2);
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: text.length }), async (length) => {
        const name = NAME.replace(".jsonl", ".json");
        using damaged = await openDamaged(Buffer.from(text.slice(0, length)), name);
        const codes = damaged.session.problems.map(({ code }) => code);
        const isWhole = length === text.length;
        expect(codes.some((code) => ["torn_line", "bad_json", "empty"].includes(code))).toBe(!isWhole);
        expect(await Array.fromAsync(damaged.session.history())).toHaveLength(isWhole ? 1 : 0);
      }),
      { numRuns: rounds(60) },
    );
  });
});
