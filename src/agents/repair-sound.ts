/** Whether a repaired session still says what the damaged one said, and where a copy of it goes. */

import { isAbsolute, resolve } from "node:path";
import { ContinuoError, type Message } from "../model/index.ts";
import { writeNewFile } from "./adapter/index.ts";
import type { Lookup } from "./lookup/index.ts";
import type { Places } from "./reader/index.ts";

export interface CopyOptions {
  readonly cwd?: string;
}

/** Gives the path. Errors: `conflict`, `unwritable`. */
export function writeCopy(file: string, bytes: Buffer, { cwd = process.cwd() }: CopyOptions): string {
  const path = isAbsolute(file) ? file : resolve(cwd, file);
  writeNewFile(path, bytes);
  return path;
}

/** @param before,after `textsOf` the damaged session, and the repaired one. Errors: `verification_failed`. */
export function assertAllSaid(before: readonly string[], after: readonly string[]): void {
  const said = new Set(after);
  const lost = before.filter((text) => !said.has(text)).length;
  if (lost > 0) throw unsound(`${lost} texts would be lost`);
}

/** Of the messages that lie in the session's own file; a result that no call waits for may go. */
export async function textsOf({ reader, found }: Lookup, places: Places, main: string): Promise<string[]> {
  using opened = await reader.open(found, places, {});
  const texts: string[] = [];
  for await (const message of opened.history()) {
    if (message.role !== "tool" && message.role !== "system" && isOf(message, main)) {
      texts.push(...message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])));
    }
  }
  return texts;
}

function isOf({ metadata }: Message, main: string): boolean {
  return (metadata.records ?? []).every(({ file }) => file === undefined || file === main);
}

export function unsound(why: string): ContinuoError {
  return new ContinuoError("verification_failed", `the session cannot be repaired: ${why}`, {
    hint: "Nothing was written.",
  });
}
