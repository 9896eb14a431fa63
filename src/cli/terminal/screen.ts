/** The abilities of a stream. */

import type { Shell } from "./shell.ts";

export interface Screen {
  readonly isTerminal: boolean;
  readonly columns: number;
  readonly rows: number;
  readonly hasColours: boolean;
}

const FALLBACK = { columns: 80, rows: 24 };

/**
 * `NO_COLOR` (any text) switches colours off. Otherwise, `FORCE_COLOR` decides: `0` and `false` switch them off,
 * anything else switches them on, even in a file. Without both, only a terminal that is not `dumb` has colours.
 */
export function screenOf(shell: Shell, stream: NodeJS.WriteStream): Screen {
  const isTerminal = stream.isTTY === true;
  return {
    isTerminal,
    columns: (isTerminal && stream.columns) || FALLBACK.columns,
    rows: (isTerminal && stream.rows) || FALLBACK.rows,
    hasColours: hasColours(shell, isTerminal),
  };
}

function hasColours({ env }: Shell, isTerminal: boolean): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== "") return false;
  if (env.FORCE_COLOR !== undefined) return !["0", "false"].includes(env.FORCE_COLOR);
  return isTerminal && env.TERM !== "dumb";
}
