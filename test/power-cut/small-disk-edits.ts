/**
 * Native edits on a full or read-only disk: each is made, or refused with a code and a hint without changing anything.
 */

import { join } from "node:path";
import { type AgentName, isContinuoError } from "@continuo/core/model";
import { settleUnfinished } from "@continuo/native/editing";
import { prepareHome } from "./edits-on-disk.ts";
import { nativeState } from "./native-state.ts";
import type { SmallDisk } from "./small-disk.ts";

export interface Refusals {
  /** The errors, as sentences. */
  readonly faults: readonly string[];
  readonly refused: number;
}

/** @param pages the numbers of free pages, tried one after another until the edit succeeds */
export async function editOnSmallDisk(
  disk: SmallDisk,
  agent: AgentName,
  pages: readonly number[],
): Promise<Refusals> {
  const { places, edits } = await prepareHome(agent, join(disk.folder, agent));
  const faults: string[] = [];
  let refused = 0;
  const attempt = async (name: string, edit: () => Promise<unknown>, when: string): Promise<boolean> => {
    const before = JSON.stringify(await nativeState(places));
    if (when !== "read-only") disk.fill(Number(when));
    else if (!disk.readOnly()) return false;
    const error = await edit().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    disk.writable();
    disk.free();
    if (error === undefined) return true;
    refused++;
    const is = `${agent}: ${name} with a disk that has ${when}`;
    if (!isContinuoError(error)) faults.push(`${is} throws a raw error: ${String(error)}`);
    else if (!["unwritable", "unavailable"].includes(error.code) || error.hint === undefined) {
      faults.push(`${is}: ${error.code} ${error.message}, hint ${error.hint}`);
    }
    await settleUnfinished({ places });
    if (JSON.stringify(await nativeState(places)) !== before) faults.push(`${is} changed something`);
    return false;
  };
  for (const [name, edit] of Object.entries(edits)) {
    if (await attempt(name, edit, "read-only")) faults.push(`${agent}: ${name} on a read-only disk succeeds`);
    for (const free of pages) if (await attempt(name, edit, String(free))) break;
  }
  return { faults, refused };
}
