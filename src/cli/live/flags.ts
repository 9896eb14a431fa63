/** The flags of `continuo live …`. */

import type { ServerFlags } from "../channel/index.ts";

export interface LiveFlags extends ServerFlags {
  readonly json?: true;
}

export interface DemoFlags extends LiveFlags {
  readonly speed: number;
}
