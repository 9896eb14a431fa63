/** The colours of a picture as 64 numbers, which find frames that look the same. Pure. */

export const COLOURS_VERSION = "rgb64.1";

/** The share of each of 4 x 4 x 4 colours in a picture, as a vector of length 1. `pixels` are RGBA. */
export function colourVector(pixels: ArrayLike<number>): readonly number[] {
  const counts = new Array<number>(64).fill(0);
  for (let at = 0; at + 3 < pixels.length; at += 4) {
    const [red = 0, green = 0, blue = 0] = [pixels[at], pixels[at + 1], pixels[at + 2]];
    const bin = (red >> 6) * 16 + (green >> 6) * 4 + (blue >> 6);
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  const length = Math.hypot(...counts);
  return counts.map((count) => (length === 0 ? 0 : Math.round((count / length) * 1e6) / 1e6));
}

/** The similarity of two colour vectors, from 0 to 1. */
export function similarity(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);
}

/** A size with the same shape whose longest side is at most `limit`. */
export function scaled(
  { width, height }: { readonly width: number; readonly height: number },
  limit: number,
): { readonly width: number; readonly height: number } {
  const factor = Math.min(1, limit / Math.max(width, height, 1));
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) };
}
