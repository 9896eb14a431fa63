/** Writes the whole conversation as Markdown, for a file or a pipe. It holds one message in memory at a time. */

import type { CatalogSession } from "@continuo/agents/catalog";
import { messageToMarkdown } from "@continuo/core/transcript";
import type { BranchStep } from "./branches.ts";
import { describeHidden, headingOf, inView, nothingHidden } from "./heading.ts";
import type { View } from "./view.ts";

export async function* markdownOf(
  session: CatalogSession,
  steps: AsyncIterable<BranchStep>,
  view: View,
): AsyncGenerator<string, void, void> {
  const { title, facts, notes } = headingOf(session, view);
  yield `# ${escapeMarkdown(title)}\n\n${escapeMarkdown(facts.join(" · "))}\n\n`;
  for (const note of notes) yield `*${escapeMarkdown(note)}*\n\n`;
  const hidden = nothingHidden();
  for await (const { message, branch } of steps) {
    if (branch !== undefined) {
      const label = branch.leaf.label === null ? "" : `: ${branch.leaf.label}`;
      yield `# ${escapeMarkdown(`Branch ${branch.number} of ${branch.count}, ends at ${branch.leaf.id}${label}`)}\n\n`;
    }
    const shown = inView(message, view, hidden);
    if (shown !== null) yield messageToMarkdown(shown, { tools: view.tools });
  }
  for (const line of describeHidden(hidden)) yield `*${line}*\n\n`;
}

/** Escapes one line of text, so that Markdown shows it unchanged. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[<#|~!&]/gu, "\\$&");
}
