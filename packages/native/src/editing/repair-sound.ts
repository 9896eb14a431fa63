/** Checks that a repaired session contains all texts of the damaged one, and writes copies. */

import { resolve } from "node:path";
import { ContinuoError, type Message } from "@continuo/core/model";
import { type OutputFile, openOutputFile, type Places } from "@continuo/files";
import { forbiddenFolders, type Lookup } from "../native/index.ts";
import type { CopyTarget } from "./repair-result.ts";

export interface CopyOptions {
  readonly cwd?: string;
  readonly places: Places;
}

/**
 * Writes the copy and returns its path.
 * Errors: `conflict`, `invalid` for a folder of an agent or of Continuo, `unwritable`.
 */
export async function writeCopy(to: CopyTarget, bytes: Buffer, options: CopyOptions): Promise<string> {
  const forbidden = await forbiddenFolders(options.places);
  const path = resolve(options.cwd ?? process.cwd(), to.file);
  using output: OutputFile = await openOutputFile(path, {
    force: to.force === true,
    forbidden,
    makeFolder: true,
  });
  output.write(bytes);
  output.commit();
  return output.path;
}

/**
 * @param before,after the results of `textsOf` for the damaged and the repaired session. Errors: `verification_failed`.
 */
export function assertAllSaid(before: readonly string[], after: readonly string[]): void {
  const said = new Set(after);
  const lost = before.filter((text) => !said.has(text)).length;
  if (lost > 0) throw unsound(`${lost} texts would be lost`);
}

/**
 * Returns the texts of the messages in the session's own file. Results of tools are not included, because a repair may
 * remove results that have no call.
 */
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
    hint: "Try again; nothing was written.",
  });
}
