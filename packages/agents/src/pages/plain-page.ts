/** A saved session as text for a browser without scripts: everything that was said, without images. */

import type { Message } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { escapeHtml, messageToHtml } from "@continuo/core/transcript/html";
import { withText } from "@continuo/core/wire/machine";
import type { CatalogDetails } from "../catalog/index.ts";
import { type HistoryParts, type SavedMessage, type SessionParts, savedMessageAt } from "./saved-history.ts";

export interface PlainPage {
  readonly sessions: readonly SessionParts[];
  readonly notes: readonly string[];
  readonly savedAt: string;
  /** False if the page is too large to contain everything twice. */
  readonly isShown: boolean;
}

/** HTML. */
export function titleOf({ title, agent }: Pick<CatalogDetails, "title" | "agent">): string {
  return escapeHtml(visibleLine(title ?? `${agent} session`));
}

export function* plainPage({ sessions, notes, savedAt, isShown }: PlainPage): Generator<string, void, void> {
  const [first, ...subagents] = sessions;
  if (first === undefined) return;
  yield `<header>
<h1><bdi>${titleOf(first.session.details)}</bdi></h1>
${dim(factsOf(first.session.details).map(visible).join(" · "))}${dim(`Saved by Continuo, ${savedAt.slice(0, 16).replace("T", " ")} UTC${partOf(first)}.`)}${notes.map((note) => dim(visible(note))).join("")}</header>
<main>
`;
  if (isShown) {
    for (const [at, history] of first.histories.entries()) {
      if (at > 0) yield branchHeading(history, at + 1, first.histories.length);
      yield* messagesOf(first.session.key, history, "session");
    }
    for (const one of subagents) yield* subagentOf(one);
  } else yield dim("The session is too long to be read here. Allow this file to run its script.");
  yield "</main>\n";
}

/** `line` is HTML. */
function dim(line: string): string {
  return `<p class="dim">${line}</p>\n`;
}

function visible(text: string): string {
  return `<bdi>${escapeHtml(visibleLine(text))}</bdi>`;
}

function factsOf({ agent, models, cwd, updatedAt }: CatalogDetails): readonly string[] {
  const facts = [agent, models.join(", "), cwd ?? "", updatedAt?.slice(0, 16).replace("T", " ") ?? ""];
  return facts.filter((fact) => fact !== "");
}

/** Names the turns of the page, unless it has all of them. */
function partOf({ session, histories }: SessionParts): string {
  const { from, to } = histories[0].turns;
  const total = session.kept.turns.length;
  return to - from + 1 < total ? `, turns ${from} to ${to} of ${total}` : "";
}

function branchHeading({ label }: HistoryParts, number: number, count: number): string {
  const name = label === null ? "" : `: ${visible(label)}`;
  return `<h2>Branch ${number} of ${count}${name}</h2>\n`;
}

function* messagesOf(
  key: string,
  { kept, messages }: HistoryParts,
  place: "session" | "sub-agent",
): Generator<string, void, void> {
  for (let index = messages.start; index < messages.end; index++) {
    yield messageToHtml(plainMessage(savedMessageAt(kept, key, index)), { place });
  }
}

function* subagentOf({ session, histories }: SessionParts): Generator<string, void, void> {
  const { title } = session.details;
  yield `<details class="subagent"><summary>Sub-agent ${visible(title ?? session.details.sessionId)}</summary>\n`;
  yield* messagesOf(session.key, histories[0], "sub-agent");
  yield "</details>\n";
}

/** Returns the message with full texts and without images. */
function plainMessage({ shown, texts }: SavedMessage): Message {
  const whole = texts.reduce((message, { path, text }) => withText(message, path, text), shown.message);
  return { ...whole, content: withoutBytes(whole.content) };
}

function withoutBytes(blocks: Message["content"]): Message["content"] {
  return blocks.map((block) => {
    if (block.type === "tool_result") return { ...block, content: withoutBytes(block.content) };
    if (block.type !== "image") return block;
    const { data: _, ...rest } = block;
    return rest;
  });
}
