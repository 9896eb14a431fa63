/**
 * The changes that a call made to files, as results of the protocol, and the texts that a client reads for them. Pure.
 */

import { resolve } from "node:path";
import type { ToolCallBlock, ToolResultBlock } from "@continuo/core/model";
import { changesOf } from "@continuo/core/transcript";
import type { EditSide, FileEditContent } from "./protocol.ts";
import { toEditUri, toFileUri } from "./uris.ts";

export interface FileChange {
  readonly path: string;
  /**
   * The known lines before and after the change; `null` if the file did not exist before, or does not exist after it.
   */
  readonly before: string | null;
  readonly after: string | null;
  readonly added: number;
  readonly removed: number;
}

/** The session of a call, and the call in it. */
export interface EditPlace {
  readonly session: string;
  /** The folder to which relative paths of calls belong; `null` if it is not known. */
  readonly cwd: string | null;
  /** The name of the part that shows the call. */
  readonly part: string;
}

const known = new WeakMap<ToolResultBlock, readonly FileChange[]>();

/** Empty for a call whose input and result show no changed file. */
export function editsOf(call: ToolCallBlock, result: ToolResultBlock): readonly FileChange[] {
  // A running turn is sent again after every word, with all of its calls.
  const found = known.get(result) ?? changesOfCall(call, result);
  known.set(result, found);
  return found;
}

function changesOfCall({ args, rawArgs }: ToolCallBlock, result: ToolResultBlock): readonly FileChange[] {
  const isRaw = rawArgs !== undefined && Object.keys(args).length === 0;
  return changesOf(isRaw ? rawArgs : args, result.content).flatMap(({ path, lines }): FileChange[] => {
    if (path === null || lines.length === 0) return [];
    const before = lines.filter(({ sign }) => sign !== "+");
    const after = lines.filter(({ sign }) => sign !== "-");
    const textOf = (some: typeof lines): string | null =>
      some.length === 0 ? null : `${some.map(({ text }) => text).join("\n")}\n`;
    return [
      {
        path,
        before: textOf(before),
        after: textOf(after),
        added: lines.length - before.length,
        removed: lines.length - after.length,
      },
    ];
  });
}

/** Leaves out a change with a relative path if the folder of the path is not known. */
export function toContent(changes: readonly FileChange[], place: EditPlace): readonly FileEditContent[] {
  return changes.flatMap(({ path, before, after, added, removed }, at): FileEditContent[] => {
    if (!path.startsWith("/") && place.cwd === null) return [];
    const uri = toFileUri(resolve(place.cwd ?? "/", path));
    const sideOf = (side: EditSide) => ({ uri, content: { uri: toEditUri({ ...place, at, side }) } });
    return [
      {
        type: "fileEdit",
        ...(before === null ? {} : { before: sideOf("before") }),
        ...(after === null ? {} : { after: sideOf("after") }),
        diff: { added, removed },
      },
    ];
  });
}
