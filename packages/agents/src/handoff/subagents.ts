/** The conversations of sub-agents that are moved with a session to another machine, and a receipt line for each. */

import type { SubagentInfo } from "@continuo/core/model";
import { type ChildRecords, type Makers, makersOfNow, type SideFile } from "@continuo/native/writing";
import type { ReceiptRecord } from "./converting/index.ts";
import type { PlacedSubagents, WriterSession } from "./made-session.ts";

export interface BroughtSubagents {
  readonly placed: PlacedSubagents;
  readonly records: readonly ReceiptRecord[];
}

/** The greatest total size of the moved sub-agents, in bytes: they are in memory, and in the note of the edit. */
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;

/** @param made the session of the same agent to which they will belong; `null` if they stay where they are */
export async function bringSubagents(
  subagents: readonly SubagentInfo[],
  made: WriterSession | null,
  where: string,
): Promise<BroughtSubagents> {
  const files: SideFile[] = [];
  const children: ChildRecords[] = [];
  const records: ReceiptRecord[] = [];
  const makers = makersOfNow();
  let left = MAX_TOTAL_BYTES;
  for (const { id, location, sizeBytes } of subagents) {
    const line = { place: `sub-agent ${id}`, kind: "other" } as const;
    left -= sizeBytes;
    const brought = left < 0 || made === null ? null : await bringOne(location, made, makers);
    files.push(...(brought?.files ?? []));
    children.push(...(brought?.children ?? []));
    records.push(
      brought === null
        ? { ...line, outcome: "noted", reason: `a session of its own, which stays ${where}` }
        : { ...line, outcome: "kept", reason: "" },
    );
  }
  return { placed: { files, children }, records };
}

async function bringOne(
  location: string,
  { writer, session, file }: WriterSession,
  makers: Makers,
): Promise<PlacedSubagents | null> {
  const child = await writer.childRecords?.({ location, parent: session, sessionFile: file }, makers);
  if (child !== undefined && child !== null) return { files: [], children: [child] };
  const files = writer.childFiles?.(location, session, file) ?? null;
  return files === null ? null : { files, children: [] };
}
