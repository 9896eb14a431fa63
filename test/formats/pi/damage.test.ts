import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { duplicated, shuffled } from "../../damage.ts";
import { rounds } from "../../sizes/counts.ts";
import { openAlone, sessionFilesOf } from "../damaged-home.ts";
import { recordsIn } from "../format-cases.ts";

const FILES = sessionFilesOf("pi");

describe("a session of pi whose lines", () => {
  test("are in another order loses no message, and reports the order", async () => {
    const file = FILES.find((path) => path.includes("/parallel-tools/")) ?? "";
    const bytes = readFileSync(file);
    await fc.assert(
      fc.asyncProperty(shuffled(bytes), async (damage) => {
        using damaged = await openAlone("pi", damage.bytes);
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

  test("are repeated has no branch for a copy", async () => {
    const bytes = readFileSync(FILES.find((path) => path.includes("/compaction/")) ?? "");
    await fc.assert(
      fc.asyncProperty(duplicated(bytes), async (damage) => {
        using damaged = await openAlone("pi", damage.bytes);
        // pi continues after a copy at the end, so that the records after the original become a branch.
        expect(damaged.session.leaves.length).toBeLessThanOrEqual(2);
        expect(damaged.session.details.usage).toEqual(await usageOf(bytes));
      }),
      { numRuns: rounds(60) },
    );
  });
});

async function usageOf(bytes: Buffer): Promise<unknown> {
  using whole = await openAlone("pi", bytes);
  return whole.session.details.usage;
}
