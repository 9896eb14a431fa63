/**
 * The changes that a call made to files, as results of the protocol, and the texts that a client reads for them; and the
 * changes that a question for permission is about. Pure.
 */

import { resolve } from "node:path";
import type { ToolCallBlock, ToolResultBlock } from "@continuo/core/model";
import { changesOf, fence, inlineCode } from "@continuo/core/transcript";
import type { ChatQuestion } from "@continuo/core/wire/machine";
import { isJson } from "@continuo/files";
import { LIMITS } from "./limits.ts";
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

/**
 * The files and lines that a question is about, as Markdown; `null` if that would not show everything that a person
 * allows. The protocol also has `edits` for this, but VS Code 1.139 then shows its own button "Allow" in place of the
 * answers of the agent, and none that refuses.
 */
export function toMarkdown(question: ChatQuestion): string | null {
  // A question is sent again with every change of its turn.
  const kept = shown.get(question);
  const markdown = kept === undefined ? changesInMarkdown(question) : kept;
  shown.set(question, markdown);
  return markdown;
}

const shown = new WeakMap<ChatQuestion, string | null>();

function changesInMarkdown({ input, content }: ChatQuestion): string | null {
  const fields = isJson(input) ? input : { input };
  const changes = changesOf(input, content ?? undefined);
  if (content === null || changes.length === 0 || hidesSome(fields, changes.length)) return null;
  const files = changes.flatMap(({ path, lines }) => {
    const drawn = lines.map(({ sign, text }) => `${sign}${text}`).join("\n");
    return path === null || drawn === "" ? [] : [`${inlineCode(path)}\n\n${fence(drawn, "diff")}`];
  });
  const others = Object.entries(fields).flatMap(([name, value]) =>
    OF_CHANGE.has(name) || value === null ? [] : [inlineCode(`${name}: ${JSON.stringify(value)}`)],
  );
  const markdown = [...files, ...others].join("\n\n");
  return files.length < changes.length || markdown.length > LIMITS.callChars ? null : markdown;
}

/** The fields from which the changes are read. */
const OF_CHANGE: ReadonlySet<string> = new Set([
  ...["changes", "edits", "patch", "patchText", "input", "content", "file_text"],
  ...["path", "file_path", "filePath"],
  ...["old_string", "oldString", "oldText", "old_str", "new_string", "newString", "newText", "new_str"],
]);

/** A command can do more than the patch that it contains, and a file that is moved has a second path. */
function hidesSome(fields: Readonly<Record<string, unknown>>, count: number): boolean {
  const { changes = [], edits = [], patch = "", patchText = "", input = "" } = fields;
  const isCommand = ["command", "cmd", "script"].some((name) => name in fields);
  const texts = [patch, patchText, input].filter((text) => text !== "");
  const isMore = texts.some((text) => typeof text !== "string" || !ONLY_PATCH.test(text));
  if (isCommand || isMore || !Array.isArray(changes) || !Array.isArray(edits)) return true;
  const isMissing = [changes, edits].some(({ length }) => length > 0 && length !== count);
  return isMissing || changes.some(isMove) || !edits.every(isOnlyEdit);
}

/** A patch without a file that it moves, and without a text before it. */
const ONLY_PATCH = /^(?<![\s\S])\s*\*\*\* Begin Patch(?![\s\S]*^\*\*\* Move to: )/mu;

function isMove(change: unknown): boolean {
  if (!isJson(change) || !isJson(change.kind)) return false;
  return (change.kind.move_path ?? change.kind.movePath ?? null) !== null;
}

function isOnlyEdit(edit: unknown): boolean {
  return isJson(edit) && Object.keys(edit).every((name) => OF_CHANGE.has(name));
}
