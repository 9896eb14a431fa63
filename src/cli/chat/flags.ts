/** The flags of `chat`. */

import type { TalkFlags } from "@continuo/agents/conversations";

export interface ChatFlags extends TalkFlags {
  readonly json?: true;
  /** Every installed agent. */
  readonly all?: true;
}
