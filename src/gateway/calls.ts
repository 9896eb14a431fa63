/** Converts calls of tools to the form that editors show. Pure. */

import type {
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolKind,
} from "@agentclientprotocol/sdk/unstable";
import { filesOfCall } from "@continuo/agents/catalog";
import { type Block, shorten, type ToolStatus } from "@continuo/core/model";
import { changesOf, mainArgument, textEditsOf } from "@continuo/core/transcript";
import { isJson } from "@continuo/files";
import { toOneLine } from "@continuo/native/kit";
import { toContent } from "./content.ts";
import { GATEWAY_LIMITS } from "./limits.ts";

/** The kind of a tool by the words in its name; without a match, the kind is `other`. */
const KINDS: readonly (readonly [RegExp, ToolKind])[] = [
  [/^(?:bash|shell|exec|execute|run|terminal|local_shell|run_shell_command|exec_command)/iu, "execute"],
  [/(?:^|_)(?:edit|write|patch|replace|notebookedit|multiedit|str_replace|apply)/iu, "edit"],
  [/web|fetch|browse|url/iu, "fetch"],
  [/grep|glob|search|find|^ls$|list/iu, "search"],
  [/read|view|cat(?:$|_)|open/iu, "read"],
  [/delete|remove|^rm$/iu, "delete"],
  [/move|rename|^mv$/iu, "move"],
  [/think|plan|todo|task|agent/iu, "think"],
];

export function kindOf(name: string): ToolKind {
  return KINDS.find(([words]) => words.test(name))?.[1] ?? "other";
}

/** One line: the tool and its subject. */
export function titleOfCall(name: string, input: unknown): string {
  const about = isJson(input) ? mainArgument(input) : null;
  const line = about === null ? name : `${name}: ${about}`;
  return shorten(toOneLine(line), GATEWAY_LIMITS.titleChars);
}

export function locationsOf(input: unknown): ToolCallLocation[] {
  return isJson(input) ? filesOfCall(input).map((path) => ({ path })) : [];
}

const ENDS: Readonly<Record<ToolStatus, ToolCallStatus>> = {
  ok: "completed",
  error: "failed",
  denied: "failed",
  cancelled: "failed",
  interrupted: "failed",
};

export function endOf(status: ToolStatus): ToolCallStatus {
  return ENDS[status];
}

/** The change of an edit, if its input or its content has the texts before and after. */
export function diffsOf(input: unknown, content: unknown): ToolCallContent[] {
  const shown = Array.isArray(content) ? content.filter(isDiff) : [];
  if (shown.length > 0) return bounded(shown);
  return bounded(
    textEditsOf(input).map(({ path, before, after }) => ({
      type: "diff",
      path,
      oldText: before,
      newText: after,
    })),
  );
}

/** The changes of a patch, with the lines that the patch names; empty for other inputs. */
export function patchDiffsOf(input: unknown): ToolCallContent[] {
  if (textEditsOf(input).length > 0) return [];
  const files = changesOf(input).flatMap(({ path, lines }): ToolCallContent[] => {
    if (path === null || lines.length === 0) return [];
    const textWithout = (sign: "+" | "-"): string =>
      lines.flatMap((line) => (line.sign === sign ? [] : [`${line.text}\n`])).join("");
    return [{ type: "diff", path, oldText: textWithout("+") || null, newText: textWithout("-") }];
  });
  return bounded(files);
}

/** Returns the input of a call, or an object that states its size if it is too large for a message. */
export function inputOf(input: unknown): unknown {
  const chars = JSON.stringify(input)?.length ?? 0;
  return chars <= GATEWAY_LIMITS.blockChars ? input : { leftOut: `${chars} characters` };
}

/** Keeps the contents that fit into a message, and adds a text with the number of the others. */
function bounded(contents: readonly ToolCallContent[]): ToolCallContent[] {
  let chars = 0;
  const fitting = contents.filter((content) => {
    const size = JSON.stringify(content).length;
    if (chars + size > GATEWAY_LIMITS.blockChars) return false;
    chars += size;
    return true;
  });
  const left = contents.length - fitting.length;
  if (left === 0) return fitting;
  return [...fitting, textOfCall(`[${left} more, which are too large for a message]`)];
}

function textOfCall(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

function isDiff(shown: unknown): shown is Extract<ToolCallContent, { type: "diff" }> {
  return (
    isJson(shown) &&
    shown.type === "diff" &&
    typeof shown.path === "string" &&
    typeof shown.newText === "string" &&
    (shown.oldText === undefined || shown.oldText === null || typeof shown.oldText === "string")
  );
}

function isTerminal(shown: unknown): shown is Extract<ToolCallContent, { type: "terminal" }> {
  return isJson(shown) && shown.type === "terminal" && typeof shown.terminalId === "string";
}

/**
 * The content of a result or of a running call: texts, pictures and diffs. A terminal of the editor is shown only while
 * its turn runs, because it does not exist later.
 */
export function contentOfCall(content: unknown, terminals: "running" | "gone" = "gone"): ToolCallContent[] {
  if (typeof content === "string") return content === "" ? [] : bounded([textOfCall(content)]);
  if (!Array.isArray(content)) return [];
  const contents = content.flatMap((shown: unknown): ToolCallContent[] => {
    if (isDiff(shown)) return [shown];
    if (!isJson(shown)) return [];
    const terminal = [shown, shown.raw].find(isTerminal);
    if (terminal !== undefined) return terminals === "running" ? [terminal] : [];
    // Agents that speak ACP wrap their content; the readers keep diffs as unknown blocks.
    if (shown.type === "unknown" && isDiff(shown.raw)) return [shown.raw];
    const block = shown.type === "content" ? shown.content : shown;
    return toContent([block as Block]).map((one) => ({ type: "content", content: one }));
  });
  return bounded(contents);
}
