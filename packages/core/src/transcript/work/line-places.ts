/** Finds the places where some lines follow each other. Pure. */

interface Line {
  readonly text: string;
}

/** The search ends after this many places. */
const MAX_PLACES = 100;

/**
 * @param isPartial the first line may be only the end of a line of the file, the last one only the beginning, and a
 * single line any part
 */
export function placesOf(
  lines: readonly Line[],
  wanted: readonly string[],
  isPartial: boolean,
): readonly number[] {
  const fits = isPartial ? partFits : wholeFits;
  const places: number[] = [];
  for (let at = 0; at + wanted.length <= lines.length && places.length < MAX_PLACES; at++) {
    let index = 0;
    while (index < wanted.length && fits(lines[at + index]?.text ?? "", wanted, index)) index += 1;
    if (index === wanted.length) places.push(at);
  }
  return places;
}

function wholeFits(text: string, wanted: readonly string[], index: number): boolean {
  return text === wanted[index];
}

function partFits(text: string, wanted: readonly string[], index: number): boolean {
  const part = wanted[index] ?? "";
  if (wanted.length === 1) return text.includes(part);
  if (index === 0) return text.endsWith(part);
  return index === wanted.length - 1 ? text.startsWith(part) : text === part;
}
