/**
 * Damage to line files, for property tests of readers: the effects of a crash, a bad disk, a careless editor or a
 * manual merge on a session. A reader must throw nothing, keep every surviving record, and report the damage.
 */

import fc from "fast-check";

export type DamageKind = "truncated" | "flipped" | "shuffled" | "duplicated" | "removed";

export interface Damage {
  readonly kind: DamageKind;
  /** A description of the change, for the report of a failing run. */
  readonly what: string;
  readonly bytes: Buffer;
  /** Makes a failing run report the change instead of all bytes. */
  readonly [fc.toStringMethod]: () => string;
}

function damageOf(kind: DamageKind, what: string, bytes: Buffer): Damage {
  return { kind, what, bytes, [fc.toStringMethod]: () => `${kind}: ${what}` };
}

/** Any kind of damage, at places that fast-check picks and shrinks. */
export function anyDamage(file: Buffer): fc.Arbitrary<Damage> {
  return fc.oneof(truncated(file), flipped(file), shuffled(file), duplicated(file), removed(file));
}

/** Any beginning of the file, also the empty one and the whole file. */
export function truncated(file: Buffer): fc.Arbitrary<Damage> {
  return fc
    .nat({ max: file.length })
    .map((length) =>
      damageOf(
        "truncated",
        `the first ${length} of ${file.length} bytes`,
        Buffer.from(file.subarray(0, length)),
      ),
    );
}

/** Changes one to four bytes; some of them become line feeds, or bytes that are not valid UTF-8. */
export function flipped(file: Buffer): fc.Arbitrary<Damage> {
  const flip = fc.record({
    at: fc.nat({ max: Math.max(0, file.length - 1) }),
    mask: fc.integer({ min: 1, max: 255 }),
  });
  return fc.array(flip, { minLength: 1, maxLength: 4 }).map((flips) => {
    const bytes = Buffer.from(file);
    for (const { at, mask } of flips) if (at < bytes.length) bytes[at] = (bytes[at] ?? 0) ^ mask;
    return damageOf("flipped", `bytes changed: ${JSON.stringify(flips)}`, bytes);
  });
}

/** The lines in any order. */
export function shuffled(file: Buffer): fc.Arbitrary<Damage> {
  const lines = linesOf(file);
  const order = lines.map((_, index) => index);
  return fc
    .shuffledSubarray(order, { minLength: order.length })
    .map((shuffledOrder) =>
      damageOf(
        "shuffled",
        `lines in the order ${shuffledOrder.join(",")}`,
        joinLines(shuffledOrder.map((index) => lines[index] ?? "")),
      ),
    );
}

/** Some lines are repeated, directly after the original or at the end. */
export function duplicated(file: Buffer): fc.Arbitrary<Damage> {
  const lines = linesOf(file);
  const pick = fc.record({
    index: fc.nat({ max: Math.max(0, lines.length - 1) }),
    where: fc.constantFrom("behind" as const, "end" as const),
  });
  return fc.array(pick, { minLength: 1, maxLength: 3 }).map((picks) => {
    const result: string[] = [];
    const end: string[] = [];
    for (const [index, line] of lines.entries()) {
      result.push(line);
      for (const each of picks) if (each.index === index) (each.where === "end" ? end : result).push(line);
    }
    return damageOf("duplicated", `lines repeated: ${JSON.stringify(picks)}`, joinLines([...result, ...end]));
  });
}

function removed(file: Buffer): fc.Arbitrary<Damage> {
  const lines = linesOf(file);
  return fc
    .subarray([...lines.keys()], { maxLength: Math.min(lines.length, 4) })
    .map((gone) =>
      damageOf(
        "removed",
        `without the lines ${gone.join(",")}`,
        joinLines(lines.filter((_, index) => !gone.includes(index))),
      ),
    );
}

/**
 * The records that a damaged file still holds, in order: every line that is JSON. This reader shares no code with the
 * one under test.
 */
export function survivorsIn(bytes: Buffer): unknown[] {
  const survivors: unknown[] = [];
  const start = bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? 3 : 0;
  for (const line of bytes.toString("utf8", start).split("\n")) {
    const value = parseOrNothing(line);
    if (value !== undefined) survivors.push(value);
  }
  return survivors;
}

function parseOrNothing(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function linesOf(file: Buffer): string[] {
  return file
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");
}

function joinLines(lines: readonly string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(""), "utf8");
}
