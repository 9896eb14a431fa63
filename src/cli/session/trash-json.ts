/** A trashed session as `--json` prints it. */

import type { TrashedSession } from "../../editing/trash/index.ts";

export function trashedToJson({
  trashId,
  trashedAt,
  info,
}: TrashedSession): Readonly<Record<string, unknown>> {
  const { agent, sessionId, title, cwd, updatedAt, sizeBytes, location } = info;
  return { agent, sessionId, title, cwd, updatedAt, sizeBytes, location, trashId, trashedAt };
}
