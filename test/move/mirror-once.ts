/** Mirrors a session from one home to another in one process, until it is complete. */

import { PassThrough } from "node:stream";
import { type FollowState, followSession, receiveMirror } from "@continuo/agents/handoff/mirroring";
import { openChannel } from "@continuo/agents/handoff/moving";
import { ContinuoError } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { listNativeSessions } from "@continuo/native";

const broken = (why: string): ContinuoError => new ContinuoError("unavailable", why);

/** Returns the name of the only session of a home. */
export async function mirrorOnce(from: Places, to: Places, workTree: "with" | "without"): Promise<string> {
  const [row] = await listNativeSessions({ places: from });
  if (row === undefined) throw new Error("there is no session to mirror");
  const name = `${row.agent}:${row.sessionId}`;
  const [near, far] = [new PassThrough(), new PassThrough()];
  const receiving = receiveMirror({ places: to, channel: openChannel(near, far, broken), broken });
  const ending = new AbortController();
  const onState = ({ waitingBytes, mirroredBytes, workTree: tree }: FollowState): void => {
    const isTreeThere = workTree === "without" || tree?.readAt != null;
    if (waitingBytes === 0 && mirroredBytes > 0 && isTreeThere) ending.abort();
  };
  const connect = () => ({
    channel: openChannel(far, near, broken),
    broken,
    [Symbol.asyncDispose]: async () => void near.end(),
  });
  await followSession(name, {
    places: from,
    host: "laptop",
    workTree,
    connect,
    signal: ending.signal,
    onState,
  });
  await receiving;
  return name;
}
