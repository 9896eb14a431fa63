/** The changes of files that a call made, as results of the protocol, and the texts that a client reads for them. Pure. */

import { resolve } from "node:path";
import type { ToolCallBlock, ToolResultBlock } from "@continuo/core/model";
import { changesOf } from "@continuo/core/transcript";
import type { EditSide, FileEditContent } from "./protocol.ts";
import { toEditUri, toFileUri } from "./uris.ts";

export interface FileChange {
  readonly path: string;
  /** The lines that are known before and after the change; `null` if the file was not there, or is gone. */
  readonly before: string | null;
  readonly after: string | null;
  readonly added: number;
  readonly removed: number;
}

/** The session of a call, and the call in it. */
export interface EditPlace {
  readonly session: string;
  /** Paths of calls are below it. */
  readonly cwd: string | null;
  /** The name of the part that the call is. */
  readonly part: string;
}

const known = new WeakMap<ToolResultBlock, readonly FileChange[]>();

/** Empty for a call that changed no file that its input or its result shows. */
export function editsOf(call: ToolCallBlock, result: ToolResultBlock): readonly FileChange[] {
  // A running turn is sent at every word, with all its calls.
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

/** Nothing where the folder of a relative path is not known. */
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
