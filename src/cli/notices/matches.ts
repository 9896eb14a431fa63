/** The sessions that an ambiguous id names, one a line. */

import { visibleLine } from "../../transcript/index.ts";

interface Details {
  readonly [key: string]: unknown;
}

/** None for the details of another error. */
export function matchLines({ matches, count }: Details): readonly string[] {
  if (!Array.isArray(matches)) return [];
  const lines = matches.map((match: Details) =>
    visibleLine(`  ${match.agent}:${match.sessionId}  ${match.location}`),
  );
  const more = typeof count === "number" ? count - matches.length : 0;
  return more > 0 ? [...lines, `  and ${more} more`] : lines;
}
