import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

/** Calls a function until V8 optimizes it, or until this many milliseconds have passed. */
const PROGRAM = `
  const { optimizeLate } = await import(process.argv[1]);
  function add(a, b) {
    let sum = a;
    for (let n = 0; n < 100; n++) sum = (sum + b) % 1009;
    return sum;
  }
  const isOptimized = () => %ActiveTierIsMaglev(add) || %ActiveTierIsTurbofan(add);
  const callFor = async (ms) => {
    for (const end = performance.now() + ms; performance.now() < end && !isOptimized(); ) {
      for (let n = 0; n < 2_000; n++) add(n, 7);
      await new Promise(setImmediate);
    }
    return isOptimized();
  };
  optimizeLate(Number(process.argv[2]));
  console.log(await callFor(Number(process.argv[3])));
`;

function isOptimized(afterMs: number, withinMs: number, own: readonly string[] = []): boolean {
  const file = join(import.meta.dirname, "late-optimizing.ts");
  const flags = [...own, "--allow-natives-syntax", "--input-type=module", "-e", PROGRAM];
  const printed = execFileSync(process.execPath, [...flags, file, String(afterMs), String(withinMs)]);
  return printed.toString().trim() === "true";
}

test("V8 optimizes no function in the first moments of a command", () => {
  expect(isOptimized(600_000, 300)).toBe(false);
});

test("V8 optimizes the functions of a command that takes longer", () => {
  expect(isOptimized(50, 60_000)).toBe(true);
}, 90_000);

test("an optimization that a person switched off stays off", () => {
  expect(isOptimized(50, 500, ["--no-opt", "--no-maglev"])).toBe(false);
});
