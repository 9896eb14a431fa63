/** A session that another machine mirrors to this one, over a connection of the server. */

import { ContinuoError, present } from "@continuo/core/model";
import type { MirrorConnection } from "@continuo/core/wire/machine";
import type { Places } from "@continuo/files";

/** Errors: those of the connection; `busy`, `unwritable`. */
export async function takeMirror({ incoming, send, begun }: MirrorConnection, places: Places): Promise<void> {
  // Loaded on first use, because most servers receive no mirror.
  const { receiveMirror } = await import("@continuo/agents/handoff/mirroring");
  const { openChannelOver } = await import("@continuo/agents/handoff/moving");
  const broken = (why: string, cause?: unknown): ContinuoError =>
    new ContinuoError("unavailable", `the connection of a mirror ended: ${why}`, present({ cause }));
  const channel = openChannelOver(incoming, send, broken);
  await receiveMirror({
    places,
    channel,
    broken,
    onBegun: ({ agent, sessionId }) => begun(`${agent}:${sessionId}`),
  });
}
