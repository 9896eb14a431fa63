/**
 * The versions of the protocol that the host speaks. 1.0.0 is published without a list of its differences from 0.9.0 that
 * could be read, and no editor speaks it yet: it is added here when one does.
 */

/** Each entry also covers the later patches of its version, by the protocol's rules of versions. */
export const VERSIONS: readonly string[] = ["0.9.0"];

type Numbers = readonly [number, number, number];

/** The highest of the offered versions that the host can speak, whatever their order. */
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
