/** The net result of all changes of a file: each changed place as it was first, and as it is last. Pure. */

import type { ToolCallBlock } from "@continuo/core/model";
import { changesOf, type DiffLine, textEditsOf, visibleLine } from "@continuo/core/transcript";
import { changesOfCall } from "./turn-facts.ts";

/** One text in place of another; `before: null` stands for whatever was in the whole file. */
export interface Replacement {
  readonly before: string | null;
  readonly after: string;
}

/** The replacements that a call makes in a file. */
export function replacementsOf(call: ToolCallBlock, path: string): readonly Replacement[] {
  const edits = textEditsOf(call.args).filter((edit) => visibleLine(edit.path.trim()) === path);
  if (edits.length > 0) return edits.map(({ before, after }) => ({ before, after }));
  return changesOfCall(call)
    .filter((file) => file.path === path)
    .flatMap(({ lines }) => hunksOf(lines));
}

/** A patch says what stands around a change; `…` separates its places. */
function hunksOf(lines: readonly DiffLine[]): readonly Replacement[] {
  const hunks: DiffLine[][] = [[]];
  for (const line of lines) {
    if (line.sign === "…") hunks.push([]);
    else hunks.at(-1)?.push(line);
  }
  const textOf = (hunk: readonly DiffLine[], without: "+" | "-"): string =>
    hunk.flatMap(({ sign, text }) => (sign === without ? [] : [text])).join("\n");
  return hunks
    .filter((hunk) => hunk.length > 0)
    .map((hunk) => ({ before: textOf(hunk, "+"), after: textOf(hunk, "-") }));
}

/** A later change of a place joins the earlier ones of that place; what was changed back is left out. */
export function netOf(replacements: readonly Replacement[]): readonly Replacement[] {
  let places: Replacement[] = [];
  for (const { before, after } of replacements) {
    if (before === null) {
      places = [{ before: places.find((place) => place.before === null)?.before ?? null, after }];
      continue;
    }
    const at = before === "" ? -1 : places.findIndex((place) => place.after.includes(before));
    const place = places[at];
    if (place !== undefined) {
      places[at] = { ...place, after: replaced(place.after, before, after) };
      continue;
    }
    const inside = places.filter(
      (one) => one.before !== null && one.after !== "" && before.includes(one.after),
    );
    const first = inside.reduce((text, one) => replaced(text, one.after, one.before ?? ""), before);
    const joined = { before: first, after };
    const [earliest] = inside;
    places = places.flatMap((one) => (one === earliest ? [joined] : inside.includes(one) ? [] : [one]));
    if (earliest === undefined) places.push(joined);
  }
  return places.filter((place) => place.before !== place.after);
}

/** The lines of all places, with a gap between them. */
export function linesOfNet(path: string, places: readonly Replacement[]): readonly DiffLine[] {
  return places.flatMap(({ before, after }, at) => {
    const input =
      before === null ? { path, content: after } : { path, old_string: before, new_string: after };
    const lines = changesOf(input).flatMap((file) => file.lines);
    return at === 0 ? lines : [{ sign: "…", text: "" } as const, ...lines];
  });
}

function replaced(text: string, part: string, by: string): string {
  const at = text.indexOf(part);
  return at === -1 ? text : text.slice(0, at) + by + text.slice(at + part.length);
}
