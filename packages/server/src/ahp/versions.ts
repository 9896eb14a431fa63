/**
 * The versions of the protocol that the host speaks. The public registry of actions (`types/version/registry.ts`, read in
 * November 2026) lists 0.9.0 and 1.0.0 as released. Between them it names two new actions, both about canvases, which
 * this host does not have. The public texts of October 2026 have two forms of `reconnect`: one number for the connection,
 * and (in the note of 2 October) a cursor for each channel. A client reconnects before any version is chosen, so the host
 * takes both forms, and answers in the form of the request. The bounded delivery of 1.1.0 is an offer of the client; a
 * host that does not accept it delivers as before.
 */

/** Each entry also stands for the later patches of its version, as the protocol's rules of versions say. */
export const VERSIONS: readonly string[] = ["1.0.0", "0.9.0"];

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
