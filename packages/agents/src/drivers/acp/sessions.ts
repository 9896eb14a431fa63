/** An agent's own list of its sessions. */

import type { DriverSession, Page } from "@continuo/core/model";
import { isJson, type Json } from "@continuo/files";
import type { AcpConnection, AcpRequestOptions } from "./connection.ts";

const MAX_PAGES = 1_000;

/** One page. Errors: `unsupported`. */
export async function listPage(
  connection: AcpConnection,
  params: { readonly cwd?: string; readonly cursor?: string },
  asking: AcpRequestOptions,
): Promise<Page<DriverSession>> {
  const answer = await connection.callKnown("session/list", { ...params }, asking);
  const sessions = Array.isArray(answer.sessions) ? answer.sessions : [];
  const cursor = answer.nextCursor;
  return {
    items: sessions.filter(isJson).flatMap(toSession),
    nextCursor: typeof cursor === "string" && cursor !== "" ? cursor : null,
  };
}

/** Reads all pages. Errors: `unsupported`; `agent_failed` if a page comes a second time, or after 1,000 pages. */
export async function listPages(
  connection: AcpConnection,
  { cwd, ...asking }: AcpRequestOptions & { readonly cwd: string },
): Promise<readonly DriverSession[]> {
  const sessions: DriverSession[] = [];
  const cursors = new Set<string>();
  let cursor: string | null = null;
  do {
    const page: Page<DriverSession> = await listPage(
      connection,
      cursor === null ? { cwd } : { cwd, cursor },
      asking,
    );
    sessions.push(...page.items);
    cursor = page.nextCursor;
    if (cursor !== null && (cursors.has(cursor) || cursors.size >= MAX_PAGES)) {
      throw connection.failed("gives the same page of its sessions again and again");
    }
    if (cursor !== null) cursors.add(cursor);
  } while (cursor !== null);
  return sessions;
}

function toSession({ sessionId, cwd, title, updatedAt }: Json): DriverSession[] {
  if (typeof sessionId !== "string") return [];
  const time = typeof updatedAt === "string" ? Date.parse(updatedAt) : Number.NaN;
  return [
    {
      sessionId,
      cwd: typeof cwd === "string" ? cwd : null,
      title: typeof title === "string" ? title : null,
      updatedAt: Number.isNaN(time) ? null : new Date(time).toISOString(),
    },
  ];
}
