/** `watchLive()`: a continuous session as somebody sees it who adds nothing to it. */

import type { LiveServerFrame } from "../../wire/index.ts";
import { Feed } from "./feed.ts";
import type { ServerAddress } from "./requests.ts";

export interface WatchLiveOptions extends ServerAddress {
  readonly key: string;
  /** Each event of the session from its beginning, each level, each error; it is called once for each. */
  readonly onFrame: (frame: LiveServerFrame) => void;
  readonly onConnection?: ((connection: "open" | "lost") => void) | undefined;
}

export interface LiveWatch {
  close(): void;
}

/** Makes no session: of a key that has none, it tries again until it is closed. Needs `live:KEY:read`. */
export function watchLive(options: WatchLiveOptions): LiveWatch {
  return new Feed(options);
}
