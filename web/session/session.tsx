/** One session: its turns, its files, and what is known of it. */

import type { VNode } from "preact";
import type { SessionTab } from "../shell/route.ts";

export function SessionPage({
  sessionKey,
}: {
  sessionKey: string;
  turn: number | null;
  tab: SessionTab;
}): VNode {
  return <main>{sessionKey}</main>;
}
