/** The numbers of the rows of the last list, as names of sessions. */

import { type ListedSession, nameOf } from "@continuo/agents/catalog";
import { isJson } from "@continuo/files";
import { keepNumbered, numbered } from "../numbers/index.ts";
import type { Shell } from "../terminal/index.ts";

/** Ids are at least eight characters where they are shown, so that four digits are no beginning of one. */
const ROW_NUMBER = /^[1-9]\d{0,3}$/u;

export function keepRows(rows: readonly ListedSession[], shell: Shell): void {
  keepNumbered(
    "rows",
    rows.map((row) => ({ session: nameOf(row) })),
    shell,
  );
}

/** The session of a row of this terminal's last list; the name itself if it is no number of one. */
export function nameOfRow(name: string, shell: Shell): string {
  if (!ROW_NUMBER.test(name)) return name;
  const row = numbered("rows", Number(name), shell);
  return isJson(row) && typeof row.session === "string" ? row.session : name;
}
