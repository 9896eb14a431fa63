/** Turns writes of whole files into changes of their earlier text, if earlier edits show that text. Pure. */

import type { FileEdit } from "./file-edit.ts";
import { compareLines } from "./hunks.ts";
import { placesOf } from "./line-places.ts";

/** If the text before a write is known, only the lines that differ count as written. */
export function withKnownText(edits: readonly FileEdit[]): readonly FileEdit[] {
  let text: readonly string[] | null = null;
  return edits.map((edit): FileEdit => {
    const before = text;
    text = textAfter(edit, before);
    if ((edit.kind !== "write" && edit.kind !== "create") || before === null || text === null) return edit;
    return { ...edit, kind: "edit", hunks: [{ at: 1, lines: compareLines(before, text) }] };
  });
}

/** The whole text after the edit, if it is known. */
function textAfter({ kind, hunks }: FileEdit, before: readonly string[] | null): readonly string[] | null {
  if (kind === "delete") return null;
  if (kind !== "edit") return (hunks[0]?.lines ?? []).map(({ text }) => text);
  let now = before;
  for (const { at, lines } of hunks) {
    if (now === null) return null;
    const old = lines.filter(({ sign }) => sign !== "+").map(({ text }) => text);
    const fresh = lines.filter(({ sign }) => sign !== "-").map(({ text }) => text);
    const places = placesOf(
      now.map((text) => ({ text })),
      old,
      false,
    );
    const place = places.find((one) => one + 1 === at) ?? (places.length === 1 ? places[0] : undefined);
    now = place === undefined ? null : [...now.slice(0, place), ...fresh, ...now.slice(place + old.length)];
  }
  return now;
}
