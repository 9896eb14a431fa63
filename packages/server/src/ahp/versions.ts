/**
 * The versions of the protocol that the host speaks. 1.0.0 was published without a readable list of its differences
 * from 0.9.0, and no editor speaks it yet. It is added here when an editor speaks it.
 */

/** Each entry also stands for the later patches of its version, as the protocol's rules of versions say. */
export const VERSIONS: readonly string[] = ["0.9.0"];

type Numbers = readonly [number, number, number];

/** Returns the highest offered version that the host can speak. The order of `offered` does not matter. */
export function chooseVersion(offered: readonly string[]): string | undefined {
  const spoken = offered.filter((one) => VERSIONS.some((base) => isCompatible(one, base)));
  return spoken.toSorted((a, b) => compare(numbersOf(b), numbersOf(a)))[0];
}

/** Before 1.0.0, a minor version may break what worked before. */
function isCompatible(offered: string, base: string): boolean {
  const [major, minor, patch] = numbersOf(offered);
  const [baseMajor, baseMinor, basePatch] = numbersOf(base);
  if (major !== baseMajor) return false;
  return major === 0
    ? minor === baseMinor && patch >= basePatch
    : compare([major, minor, patch], [baseMajor, baseMinor, basePatch]) >= 0;
}

function numbersOf(version: string): Numbers {
  const [, major, minor, patch] =
    /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/u.exec(version) ?? [];
  return [Number(major), Number(minor), Number(patch)];
}

function compare(a: Numbers, b: Numbers): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
