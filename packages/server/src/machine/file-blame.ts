/**
 * The origins of a file's lines. The file must be below the folder of a session, and the answer has only the text of
 * lines that a session wrote.
 */

import { isAbsolute } from "node:path";
import { openOrigins, readFileLines } from "@continuo/agents/search";
import { ContinuoError } from "@continuo/core/model";
import { maskSecrets } from "@continuo/core/transcript";
import type { FileBlameAnswer } from "@continuo/core/wire/machine";
import type { MachineOptions } from "./options.ts";
import type { RowSource } from "./rows.ts";

/** Errors: `not_found` for a file that no session changed, `too_large`, `unreadable`. */
export async function fileBlameOf(
  path: string,
  {
    source,
    options,
    signal,
  }: { readonly source: RowSource; readonly options: MachineOptions; readonly signal: AbortSignal },
): Promise<FileBlameAnswer> {
  const { byKey } = await source.rows();
  const keys = new Map([...byKey].map(([key, { row }]) => [row.location, key]));
  const folders = new Set([...byKey.values()].flatMap(({ row }) => row.cwd ?? []));
  if (!isAbsolute(path)) throw notChanged(path);
  const lines = readFileLines(path, [...folders]);
  const { places, exclude, onUnindexed } = options;
  const origins = openOrigins({ places, onUnindexed, signal, exclude: await exclude(), nowMs: Date.now() });
  const blame = await origins.ofFile(path, lines);
  if (blame.edits === 0) throw notChanged(path);
  return {
    ...blame,
    lines: blame.lines.map((line) => ({
      ...line,
      text: line.origin === null ? null : maskSecrets(line.text).value,
    })),
    origins: blame.origins.map((origin) => ({ ...origin, key: keys.get(origin.location) ?? null })),
  };
}

function notChanged(path: string): ContinuoError {
  return new ContinuoError("not_found", `no session changed the file ${JSON.stringify(path)}`, {
    hint: "Name a file below the folder of a session, from the root.",
  });
}
