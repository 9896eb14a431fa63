/** The number of items that wait for the person. The header shows it before the inbox itself is loaded. */

import { signal } from "@preact/signals";

export interface Attention {
  /** Questions for permission that wait for an answer. */
  readonly asks: number;
  /** Sessions that ended since the person viewed them. */
  readonly unseen: number;
}

export const attention = signal<Attention>({ asks: 0, unseen: 0 });
