/** A saved session as the parts of its page: what the viewer reads, and the same as text for a browser without scripts. Pure. */

import type { Message } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { escapeHtml, messageToHtml } from "@continuo/core/transcript/html";
import { type SavedSession, type SavedText, type WindowMessage, withText } from "@continuo/core/wire/machine";

/** JSON in which nothing ends the element that it stands in. */
export function savedJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

export function titleOf({ head }: SavedSession): string {
  return escapeHtml(visibleLine(head.session.title ?? `${head.session.agent} session`));
}

/** Its texts whole, and without images: the viewer has them. */
export function plainMessage({ message }: WindowMessage, texts: readonly SavedText[]): string {
  let whole = message;
  for (const { messageId, path, text } of texts) {
    if (messageId === message.id) whole = withText(whole, path, text);
  }
  return messageToHtml({ ...whole, content: withoutBytes(whole.content) });
}

function withoutBytes(blocks: Message["content"]): Message["content"] {
  return blocks.map((block) => {
    if (block.type === "tool_result") return { ...block, content: withoutBytes(block.content) };
    if (block.type !== "image") return block;
    const { data: _, ...rest } = block;
    return rest;
  });
}

export function plainPage(saved: SavedSession): string {
  const { head, outline, messages, texts, savedAt } = saved;
  const { agent, cwd, updatedAt } = head.session;
  const facts = [agent, head.models.join(", "), cwd, updatedAt?.slice(0, 16).replace("T", " ")];
  const shown = facts.filter((fact) => fact !== null && fact !== undefined && fact !== "");
  const part =
    outline.turns.length < outline.total
      ? `, turns ${outline.turns[0]?.number} to ${outline.turns.at(-1)?.number} of ${outline.total}`
      : "";
  return `<header>
<h1><bdi>${titleOf(saved)}</bdi></h1>
<p class="dim">${shown.map((fact) => `<bdi>${escapeHtml(visibleLine(fact ?? ""))}</bdi>`).join(" · ")}</p>
<p class="dim">Saved by Continuo, ${savedAt.slice(0, 16).replace("T", " ")} UTC${part}.</p>
</header>
<main>
${messages.map((one) => plainMessage(one, texts)).join("")}</main>
`;
}
