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

/** Returns a sentence about blocks that the form cannot hold, if there are any. Errors: `usage` for several branches. */
export async function writeDataset(
  steps: AsyncIterable<BranchStep>,
  format: DatasetFormat,
  { all }: Pick<ExportFlags, "all">,
  output: Output,
): Promise<string | undefined> {
  if (all === true)
    throw new ContinuoError("usage", `cannot export every branch as ${format}: it is one conversation`);
  const messages: Message[] = [];
  for await (const { message } of steps) messages.push(message);
  const { leftOut, ...made } = FORMS[format](messages);
  await output.write(`${toJsonText(made)}\n`);
  const kinds = Object.entries(leftOut).map(([kind, count]) => `${plural(count, `block`)} of ${kind}`);
  return kinds.length === 0 ? undefined : `left out, because ${format} cannot hold them: ${kinds.join(", ")}`;
}
