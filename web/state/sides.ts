/** Puts the lines of a diff into two columns: the old file on the left, and the new file on the right. Pure. */

import type { ChangedLine } from "@continuo/core/wire/machine";

export interface SidesRow {
  /** `null` if the other side has a line that this one does not have. */
  readonly left: ChangedLine | null;
  readonly right: ChangedLine | null;
}

/** Removed lines are next to the lines that replaced them. */
export function sidesOf(lines: readonly ChangedLine[]): readonly SidesRow[] {
  const rows: SidesRow[] = [];
  let removed: ChangedLine[] = [];
  let added: ChangedLine[] = [];
  const settle = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) {
      rows.push({ left: removed[at] ?? null, right: added[at] ?? null });
    }
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.sign === "-") {
      if (added.length > 0) settle();
      removed.push(line);
    } else if (line.sign === "+") added.push(line);
    else {
      settle();
      rows.push({ left: line, right: line });
    }
  }
  settle();
  return rows;
}
