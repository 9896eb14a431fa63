/** What `chat` is called with. */

import type { TalkFlags } from "../conversation/flags/index.ts";

export interface ChatFlags extends TalkFlags {
  readonly json?: true;
}
