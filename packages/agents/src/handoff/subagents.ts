/** The conversations of sub-agents: those that go with a session to another machine, and a receipt line for each. */

import type { SubagentInfo } from "@continuo/core/model";
import type { BesideFile } from "@continuo/native/writing";
import type { ReceiptRecord } from "./converting/index.ts";
import type { WriterSession } from "./made-session.ts";

export interface BroughtSubagents {
  /** The files that are placed with the new session. */
  readonly files: readonly BesideFile[];
  readonly records: readonly ReceiptRecord[];
}

/** The bytes that lie in memory, and in the note of the edit, until they are placed. */
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;

/** @param made the session of the same agent that they are to belong to; `null` where they stay where they are. */
export function bringSubagents(
  subagents: readonly SubagentInfo[],
  made: WriterSession | null,
  where: string,
): BroughtSubagents {
  const files: BesideFile[] = [];
  let left = MAX_TOTAL_BYTES;
  const records = subagents.map(({ id, location, sizeBytes }): ReceiptRecord => {
    const line = { place: `sub-agent ${id}`, kind: "other" } as const;
    left -= sizeBytes;
    const placed = left < 0 ? null : made?.writer.childFiles?.(location, made.session, made.file);
    if (placed === undefined || placed === null)
      return { ...line, outcome: "noted", reason: `a session of its own, which stays ${where}` };
    files.push(...placed);
    return { ...line, outcome: "kept", reason: "" };
  });
  return { files, records };
}
