/** HEAD and DELETE. */

import { STREAM_HEADERS } from "@continuo/core/wire";
import { principalOf } from "../auth/index.ts";
import { type Call, headHeaders, logOf, requireAdministration } from "./call.ts";
import { recordsOf } from "./records.ts";

export async function describeStream(call: Call): Promise<Response> {
  const log = await logOf(call);
  const { ttl, expiresAt, chainHash, latestSequence, closedAt } = log;
  const end = closedAt === undefined ? "" : "-c";
  return new Response(null, {
    headers: {
      "content-type": recordsOf(log.mediaType).contentType,
      "cache-control": "no-store",
      etag: `"0-${latestSequence}-${chainHash.slice(0, 16)}-e${end}"`,
      ...headHeaders(log),
      ...(ttl === undefined ? {} : { [STREAM_HEADERS.ttl]: String(ttl) }),
      ...(ttl !== undefined || expiresAt === undefined ? {} : { [STREAM_HEADERS.expiresAt]: expiresAt }),
    },
  });
}

export async function deleteStream({ address, request, grant, context }: Call): Promise<Response> {
  requireAdministration(grant, address, "delete");
  const { signal } = request;
  const store = context.store(grant.workspaceId, principalOf(grant));
  if (address.kind === "session") await store.deleteSession(address.logId, { signal });
  else await store.deleteLog(address.logId, { signal });
  return new Response(null, { status: 204 });
}
