import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { duplicated } from "../../damage.ts";
import { rounds } from "../../sizes/counts.ts";
import { openAlone, sessionFilesOf } from "../damaged-home.ts";

const FILES = sessionFilesOf("gemini");

describe("a damaged session of Gemini CLI", () => {
  test("counts no answer twice when a line stands twice", async () => {
    const bytes = readFileSync(FILES.find((path) => path.includes("/parallel-tools/")) ?? "");
    using whole = await openAlone("gemini", bytes);
    const { usage } = whole.session.details;
    await fc.assert(
      fc.asyncProperty(duplicated(bytes), async (damage) => {
        using damaged = await openAlone("gemini", damage.bytes);
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
        using damaged = await openAlone("gemini", Buffer.from(text.slice(0, length)), ".json");
        const codes = damaged.session.problems.map(({ code }) => code);
        const isWhole = length === text.length;
        expect(codes.some((code) => ["torn_line", "bad_json", "empty"].includes(code))).toBe(!isWhole);
        expect(await Array.fromAsync(damaged.session.history())).toHaveLength(isWhole ? 1 : 0);
      }),
      { numRuns: rounds(60) },
    );
  });
});
