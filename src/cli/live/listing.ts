/** The continuous sessions that a token may read, as `/v1/live` lists them. Errors: those of the server. */

import { listAll } from "@continuo/core/model";
import type { LiveSession, RemovedLiveSession } from "@continuo/core/wire";
import { callServer, type ServerAccess } from "../channel/index.ts";

export function listSessions(access: ServerAccess): Promise<readonly LiveSession[]> {
  return listed<LiveSession>(access, {});
}

export function listRemoved(access: ServerAccess): Promise<readonly RemovedLiveSession[]> {
  return listed<RemovedLiveSession>(access, { status: "removed" });
}

function listed<Row>(access: ServerAccess, query: Readonly<Record<string, string>>): Promise<readonly Row[]> {
  const rows = listAll(async (place) => {
    const page = await callServer(access, `/v1/live?${new URLSearchParams({ ...query, ...place })}`);
    const { sessions, nextCursor } = page as unknown as {
      readonly sessions: readonly Row[];
      readonly nextCursor: string | null;
    };
    return { items: sessions, nextCursor };
  });
  return Array.fromAsync(rows);
}
