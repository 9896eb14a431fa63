import { describe, expect, test } from "vitest";
import { circlesIn } from "./circles.ts";
import { ENVIRONMENT_READERS, FLOOR_PLAN, HEAVY_PACKAGES, LIGHT_ENTRIES } from "./floor-plan.ts";
import { folderOf, readSource, roomOf, type SourceFile } from "./imports.ts";

const source = readSource();
const production = source.filter((file) => !file.path.endsWith(".test.ts"));

describe("the floor plan", () => {
  test("every folder of the source has its floor", () => {
    expect(
      [...new Set(source.map((file) => roomOf(file.path)))].filter((room) => !(room in FLOOR_PLAN)),
    ).toEqual([]);
  });

  test("code imports only downwards", () => {
    const wrong = arrows(production).filter(({ from, to }) => !mayImport(roomOf(from), roomOf(to)));
    expect(wrong).toEqual([]);
  });

  test("the biggest room holds at most 27 % of the lines of the source without its tests", () => {
    const linesOf = (files: readonly SourceFile[]): number =>
      files.reduce((sum, { text }) => sum + text.trimEnd().split("\n").length, 0);
    const rooms = Map.groupBy(production, ({ path }) => roomOf(path));
    const shares = [...rooms].map(([room, files]) => ({ room, share: linesOf(files) / linesOf(production) }));
    expect(shares.filter(({ share }) => share > 0.27)).toEqual([]);
    expect(shares.find(({ room }) => room === "native")?.share).toBeGreaterThan(0.05);
  });

  test("no file imports itself through others, not for a type either", () => {
    expect(circlesIn(production)).toEqual([]);
  });

  test("another folder is entered only through its index.ts", () => {
    const wrong = arrows(source).filter(
      ({ from, to }) => folderOf(from) !== folderOf(to) && !to.endsWith("index.ts") && !isTestOf(from, to),
    );
    expect(wrong).toEqual([]);
  });

  test("pure rooms use no Node, clock, randomness or network", () => {
    const impure =
      /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bfetch\(|\bprocess\.|\bcrypto\.|\bset(Timeout|Interval)\(/u;
    const wrong = production
      .filter((file) => FLOOR_PLAN[roomOf(file.path)]?.pure)
      .filter((file) => impure.test(file.text) || file.imports.some((one) => one.target.startsWith("node:")))
      .map((file) => file.path);
    expect(wrong).toEqual([]);
  });

  test("the environment is read at the edge", () => {
    const wrong = production
      .filter((file) => /\bprocess\.(env|argv)\b/u.test(file.text))
      .filter((file) => !ENVIRONMENT_READERS.some((allowed) => allowed.test(file.path)))
      .map((file) => file.path);
    expect(wrong).toEqual([]);
  });

  test("heavy packages are loaded only by what needs them", () => {
    const byPath = new Map(production.map((file) => [file.path, file]));
    const reached = LIGHT_ENTRIES.flatMap((entry) => {
      const files = eagerlyReached(entry, byPath);
      return files.flatMap((file) =>
        file.imports
          .filter(
            (one) =>
              one.eager &&
              HEAVY_PACKAGES.some((name) => one.target === name || one.target.startsWith(`${name}/`)),
          )
          .map((one) => `${entry} loads ${one.target} through ${file.path}`),
      );
    });
    expect(reached).toEqual([]);
  });
});

interface Arrow {
  readonly from: string;
  readonly to: string;
}

function arrows(files: readonly SourceFile[]): Arrow[] {
  return files.flatMap((file) =>
    file.imports.filter((one) => one.local).map((one) => ({ from: file.path, to: one.target })),
  );
}

function mayImport(from: string, to: string): boolean {
  const [above, below] = [FLOOR_PLAN[from], FLOOR_PLAN[to]];
  if (from === to) return true;
  if (above === undefined || below === undefined) return false;
  return below.floor < above.floor && (above.only?.includes(to) ?? true);
}

/** A test may import what lies below its own folder, and the tests' own tools. */
function isTestOf(from: string, to: string): boolean {
  return from.endsWith(".test.ts") && (to.startsWith(`${folderOf(from)}/`) || to.startsWith("test/"));
}

function eagerlyReached(entry: string, byPath: ReadonlyMap<string, SourceFile>): SourceFile[] {
  const seen = new Set<SourceFile>();
  const queue = [entry];
  for (const path of queue) {
    const file = byPath.get(path);
    if (file === undefined || seen.has(file)) continue;
    seen.add(file);
    queue.push(...file.imports.filter((one) => one.local && one.eager).map((one) => one.target));
  }
  return [...seen];
}
