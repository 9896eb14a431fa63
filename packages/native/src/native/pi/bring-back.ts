/**
 * Converts entries of another session to entries of a new one, with the `id` and `cwd` of the new one in the header.
 * They keep their version, because pi upgrades a file when it opens it. Pure.
 */

import { resolve } from "node:path";
import { isJson, type Json, textField } from "@continuo/files";
import type { KeptRecord, NewSession } from "../writing/index.ts";

export interface EntryLink {
  /** Absent in version 1, which has no ids. */
  readonly id?: string;
  readonly parentId?: string | null;
  readonly timestamp: string;
}

export interface RestoredEntries {
  readonly entries: readonly Json[];
  /** `id` and `parentId` of an entry after the last one, which is the leaf; version 1 has none. */
  readonly link: (id: string) => Pick<EntryLink, "id" | "parentId">;
}

/** Returns `null` without a header, because pi does not read such a file. */
export function bringBackEntries(
  records: readonly KeptRecord[],
  session: NewSession,
): RestoredEntries | null {
  const values = records.flatMap(({ value }) => (isJson(value) ? [value] : []));
  const [header, ...entries] = values;
  if (header?.type !== "session") return null;
  const { sessionId: id, cwd, provenance } = session;
  const from = provenance === undefined ? {} : { continuo: provenance };
  const last = entries.findLast((entry) => entry.type !== "session" && textField(entry, "id") !== null);
  const parentId = last === undefined ? null : textField(last, "id");
  return {
    entries: [{ ...header, id, cwd: resolve(cwd), ...from }, ...entries],
    link: (entryId) => (header.version === undefined ? {} : { id: entryId, parentId }),
  };
}
