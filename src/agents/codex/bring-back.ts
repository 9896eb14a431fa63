/**
 * Lines of another thread as those of a new one: the thread's id and its folder are the new one's, wherever a
 * line names them. Pure.
 */

import { type KeptRecord, type NewSession, withReplaced } from "../adapter/index.ts";
import { isJson, type Json, textField } from "../reader/index.ts";
import { parseSessionMeta } from "./records.ts";

const IDS = /^(?:id|session_id|thread_id)$/u;
const FOLDERS = /^(?:cwd|runtime_workspace_roots)$/u;

/** `null` for a thread that goes on from another file: what it goes on from would not be there. */
export function bringBackLines(records: readonly KeptRecord[], session: NewSession): readonly Json[] | null {
  const values = records.flatMap(({ value }) => (isJson(value) ? [value] : []));
  const [first] = values;
  const meta = first === undefined ? null : parseSessionMeta(first);
  if (first === undefined || meta === null || records.some(({ file }) => file !== undefined)) return null;
  if (values.some((value) => (parseSessionMeta(value)?.base ?? null) !== null)) return null;
  const header = isJson(first.payload) ? first.payload : {};
  const ids = new Map([[textField(header, "id") ?? "", session.sessionId]]);
  const folders = new Map([[textField(header, "cwd") ?? "", session.cwd]]);
  const lines = values.map((value) =>
    withReplaced(value, [
      { keys: IDS, names: ids },
      { keys: FOLDERS, names: folders },
    ]),
  );
  const { provenance } = session;
  const [begins, ...others] = lines;
  if (begins === undefined || provenance === undefined) return lines;
  return [{ ...begins, payload: { ...(begins.payload as Json), continuo: provenance } }, ...others];
}
