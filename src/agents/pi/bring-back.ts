/** Entries of another session as those of a new one: the header's `id` and `cwd` are the new one's. Pure. */

import { resolve } from "node:path";
import type { KeptRecord, NewSession } from "../adapter/index.ts";
import { isJson, type Json, textField } from "../reader/index.ts";

export interface BroughtBack {
  readonly entries: readonly Json[];
  /** Of the last entry, which is the leaf. */
  readonly leaf: string | null;
}

/** `null` for a version whose entries have no ids that stay. */
export function bringBackEntries(
  records: readonly KeptRecord[],
  session: NewSession,
  version: number,
): BroughtBack | null {
  const values = records.flatMap(({ value }) => (isJson(value) ? [value] : []));
  const [header, ...entries] = values;
  if (header?.type !== "session" || header.version !== version) return null;
  const { sessionId: id, cwd, provenance } = session;
  const from = provenance === undefined ? {} : { continuo: provenance };
  const last = entries.findLast((entry) => entry.type !== "session" && textField(entry, "id") !== null);
  return {
    entries: [{ ...header, id, cwd: resolve(cwd), ...from }, ...entries],
    leaf: last === undefined ? null : textField(last, "id"),
  };
}
