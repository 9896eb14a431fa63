/** One session as one line of training data, with its tools. */

import { ContinuoError, type Message } from "@continuo/core/model";
import { toAnthropicMessages, toOpenAIMessages, toShareGpt } from "@continuo/core/transcript";
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
}

export async function datasetLine(
  steps: AsyncIterable<BranchStep>,
  format: DatasetFormat,
): Promise<DatasetLine> {
  const messages: Message[] = [];
  for await (const { message } of steps) messages.push(message);
  const { leftOut, ...made } = FORMS[format](messages);
  const isEmpty = messages.length === (leftOut.notification ?? 0);
  return { line: isEmpty ? null : `${toJsonText(made)}\n`, leftOut };
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
 * Returns a sentence about blocks that the form cannot hold, if there are any. Errors: `usage` for several branches.
 */
export async function writeDataset(
  steps: AsyncIterable<BranchStep>,
  format: DatasetFormat,
  flags: Pick<ExportFlags, "all">,
  output: Output,
): Promise<string | undefined> {
  assertOneBranch(format, flags);
  const { line, leftOut } = await datasetLine(steps, format);
  if (line !== null) await output.write(line);
  return describeLeftOut(leftOut, format);
}

/** Errors: `usage`. */
export function assertOneBranch(format: DatasetFormat, { all }: Pick<ExportFlags, "all">): void {
  if (all !== true) return;
  throw new ContinuoError("usage", `cannot export every branch as ${format}: it is one conversation`);
}
