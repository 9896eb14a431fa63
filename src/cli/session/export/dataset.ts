/** One session as one line of training data, with its tools. */

import type { CatalogSession } from "@continuo/agents/catalog";
import { ContinuoError, type Message } from "@continuo/core/model";
import { toAnthropicMessages, toOpenAIMessages, toShareGpt, visibleLine } from "@continuo/core/transcript";
import { type Output, plural, toJsonText } from "../../terminal/index.ts";
import type { BranchStep } from "../show/index.ts";
import type { DatasetFormat, ExportFlags } from "./flags.ts";

const FORMS = {
  openai: toOpenAIMessages,
  anthropic: toAnthropicMessages,
  sharegpt: toShareGpt,
} as const;

export interface DatasetLine {
  /** The line with its end; `null` for a session without messages. */
  readonly line: string | null;
  /** The number of blocks of each kind that the form cannot hold. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** The names of tools that were called, and have no definition. */
  readonly undefinedTools: readonly string[];
}

export interface DatasetSource {
  readonly steps: AsyncIterable<BranchStep>;
  /** Its definitions of tools are read. */
  readonly session: Pick<CatalogSession, "tools">;
}

export async function datasetLine(
  { steps, session }: DatasetSource,
  format: DatasetFormat,
  signal?: AbortSignal,
): Promise<DatasetLine> {
  const messages: Message[] = [];
  for await (const { message } of steps) messages.push(message);
  const tools = (await session.tools?.(signal)) ?? [];
  const { leftOut, ...made } = FORMS[format](messages, { tools });
  const isEmpty = messages.length === (leftOut.notification ?? 0);
  const blocks = messages.flatMap(({ content }) => content);
  const called = new Set(blocks.flatMap((block) => (block.type === "tool_call" ? [block.name] : [])));
  const undefinedTools = [...called.difference(new Set(tools.map(({ name }) => name)))].sort();
  return { line: isEmpty ? null : `${toJsonText(made)}\n`, leftOut, undefinedTools };
}

/** Names of tools in one sentence. */
const MAX_NAMED_TOOLS = 10;

/** A sentence about tools that a session called and does not define; `undefined` if there are none. */
export function describeUndefined(names: Iterable<string>): string | undefined {
  const all = [...new Set(names)].sort();
  if (all.length === 0) return undefined;
  const named = all.slice(0, MAX_NAMED_TOOLS).map((name) => visibleLine(name));
  const more = all.length > named.length ? ` and ${all.length - named.length} more` : "";
  return `without a definition in their session: ${plural(all.length, "tool")} (${named.join(", ")}${more})`;
}

/** Sentences about blocks that the form cannot hold, and about notices; `undefined` if there are none. */
export function describeLeftOut(leftOut: DatasetLine["leftOut"], format: DatasetFormat): string | undefined {
  const { notification: notices = 0, ...blocks } = leftOut;
  const kinds = Object.entries(blocks).map(([kind, count]) => `${plural(count, `block`)} of ${kind}`);
  const parts = [
    ...(notices === 0
      ? []
      : [`left out, because no model got them: ${plural(notices, "notice")} to the person`]),
    ...(kinds.length === 0 ? [] : [`left out, because ${format} cannot hold them: ${kinds.join(", ")}`]),
  ];
  return parts.length === 0 ? undefined : parts.join("\n");
}

/**
 * Returns sentences about blocks that the form cannot hold, and about tools without a definition, if there are any.
 * Errors: `usage` for several branches.
 */
export async function writeDataset(
  source: DatasetSource,
  format: DatasetFormat,
  { signal, ...flags }: Pick<ExportFlags, "all"> & { readonly signal?: AbortSignal },
  output: Output,
): Promise<string | undefined> {
  assertOneBranch(format, flags);
  const { line, leftOut, undefinedTools } = await datasetLine(source, format, signal);
  if (line !== null) await output.write(line);
  const parts = [describeLeftOut(leftOut, format), describeUndefined(undefinedTools)];
  const said = parts.filter((part) => part !== undefined);
  return said.length === 0 ? undefined : said.join("\n");
}

/** Errors: `usage`. */
export function assertOneBranch(format: DatasetFormat, { all }: Pick<ExportFlags, "all">): void {
  if (all !== true) return;
  throw new ContinuoError("usage", `cannot export every branch as ${format}: it is one conversation`);
}
