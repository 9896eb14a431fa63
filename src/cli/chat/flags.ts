/** The flags of `chat`. */

import type { TalkFlags } from "../../conversations/index.ts";

export interface ChatFlags extends TalkFlags {
  readonly json?: true;
  /** Every agent that is installed. */
  readonly all?: true;
}
