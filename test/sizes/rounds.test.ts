import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { withSoakTable } from "./proof-table.ts";
import { type Batch, type RoundsOptions, readProgress, runRounds } from "./rounds.ts";

let folder: string;
beforeEach(() => {
  folder = scratchFolder("rounds");
});

const now = (): Date => new Date("2025-01-05T10:00:00Z");

function options(changes: Partial<RoundsOptions> = {}): RoundsOptions {
  return { name: "any log is read", count: 25, batchSize: 10, folder, seed: 7, now, ...changes };
}

test("every round is run once, in batches whose seeds differ and which are reported", async () => {
  const batches: Batch[] = [];
  const reported: number[] = [];
  const report = ({ done }: { readonly done: number }): void => void reported.push(done);
  await runRounds(options({ report }), (batch) => void batches.push(batch));
  expect(reported).toEqual([10, 20, 25]);
  expect(batches).toEqual([
    { seed: 7, count: 10 },
    { seed: 17, count: 10 },
    { seed: 27, count: 5 },
  ]);
  expect(readProgress(folder)).toEqual([
    {
      name: "any log is read",
      seed: 7,
      count: 25,
      done: 25,
      result: "passed",
      date: "2025-01-05T10:00:00.000Z",
    },
  ]);
});

test("what the last batch counted is kept", async () => {
  await runRounds(options(), ({ count }) => `${count} kills`);
  expect(readProgress(folder)[0]).toMatchObject({ counts: "5 kills" });
});

test("a batch that failed is the first one of the next run, with the seed that it had", async () => {
  const failing = (batch: Batch): void => {
    if (batch.seed === 17) throw new Error("two are lost");
  };
  await expect(runRounds(options(), failing)).rejects.toThrow(
    "failed after 10 rounds with seed 7: two are lost",
  );
  expect(readProgress(folder)[0]).toMatchObject({ done: 10, result: "failed" });
  const seeds: number[] = [];
  await runRounds(options({ seed: 99 }), ({ seed }) => void seeds.push(seed));
  expect(seeds).toEqual([17, 27]);
  expect(readProgress(folder)[0]).toMatchObject({ seed: 7, done: 25, result: "passed" });
});

test("a run that passed, or that wanted another count, is begun again with a new seed", async () => {
  await runRounds(options(), () => undefined);
  await runRounds(options({ seed: 8 }), () => undefined);
  expect(readProgress(folder)[0]).toMatchObject({ seed: 8, count: 25 });
  await expect(runRounds(options({ seed: 9 }), () => Promise.reject(new Error("no")))).rejects.toThrow(
    "seed 9",
  );
  await runRounds(options({ seed: 10, count: 5 }), () => undefined);
  expect(readProgress(folder)[0]).toMatchObject({ seed: 10, count: 5, done: 5 });
});

const EMPTY = "# Proof\n\n<!-- soak: written by npm run test:soak -->\n<!-- /soak -->\nafter\n";

test("the table has one row for a property, and keeps rows of properties that were not run", () => {
  const progress = {
    name: "b",
    seed: 1,
    count: 20,
    done: 20,
    result: "passed",
    date: "2025-01-05T10:00",
  } as const;
  const first = withSoakTable(EMPTY, [progress]);
  expect(first).toContain("\n| b | 20 | 1 | passed | 2025-01-05 |\n");
  const second = withSoakTable(first, [{ ...progress, name: "a", done: 4, result: "failed" }]);
  expect(second).toContain(
    "\n| a | 4 of 20 | 1 | failed | 2025-01-05 |\n| b | 20 | 1 | passed | 2025-01-05 |\n",
  );
  expect(withSoakTable(second, [])).toBe(second);
  const counted = withSoakTable(second, [{ ...progress, name: "c", counts: "7 kills" }]);
  expect(counted).toContain("\n| c | 20: 7 kills | 1 | passed | 2025-01-05 |\n");
  expect(second.startsWith("# Proof\n\n<!--")).toBe(true);
  expect(second.endsWith("<!-- /soak -->\nafter\n")).toBe(true);
});

test("a document without a place for the table is refused", () => {
  expect(() => withSoakTable("# Proof\n", [])).toThrow("no place");
});
