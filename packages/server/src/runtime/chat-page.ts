/**
 * The chat of a session as a page for the people who take part in it: their messages and the answers, without tools,
 * approvals, thoughts and runs. The page has no script, and loads nothing.
 */

import { type Block, type Message, parseDataUrl } from "@continuo/core/model";
import { maskSecrets, visibleLine } from "@continuo/core/transcript";
import { escapeHtml, headToHtml, messageToHtml } from "@continuo/core/transcript/html";
import type { ChatMessage, ChatMetadata, UIPart } from "@continuo/core/wire";
import type { Chat } from "./chat.ts";

const POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'";
const STYLE =
  ":root{color-scheme:light dark}body{margin:2rem auto;max-width:46rem;padding:0 1rem;font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}article{margin:1.5rem 0}article.person{padding-left:1rem;border-left:3px solid}header{opacity:.7}.note{opacity:.7}pre{overflow-x:auto}pre.plain{font:inherit;white-space:pre-wrap}img{display:block;max-width:100%}";

export interface ChatPage {
  readonly title: string | undefined;
  /** True to mask keys, tokens and passwords of known forms. */
  readonly maskSecrets: boolean;
}

export function chatToHtml(chat: Chat, page: ChatPage): string {
  const { messages, open, name } = masked({ ...chat, name: page.title ?? "Chat" }, page);
  const title = escapeHtml(visibleLine(name));
  const articles = messages.flatMap((message) => articleOf(message, open.includes(message.id)));
  const head = headToHtml({ title, policy: POLICY, style: STYLE });
  return `${head}<h1><bdi>${title}</bdi></h1>\n<main>\n${articles.join("")}</main>\n</body>\n</html>\n`;
}

function masked<T>(value: T, page: Pick<ChatPage, "maskSecrets">): T {
  return page.maskSecrets ? maskSecrets(value).value : value;
}

/** An answer without text is not shown until it has some, or has ended without. */
function articleOf({ id, role, parts, metadata }: ChatMessage, isOpen: boolean): readonly string[] {
  const content = parts.flatMap(blockOf);
  const note = isOpen ? "The answer is not complete." : endOf(metadata);
  if (role === "system" || (content.length === 0 && (isOpen || note === null))) return [];
  const origin = role === "user" ? ("person" as const) : ("agent" as const);
  const message: Message = { id, role, content, origin, metadata: {} };
  const article = content.length === 0 ? [] : [messageToHtml(message)];
  return note === null ? article : [...article, `<p class="note">${escapeHtml(visibleLine(note))}</p>\n`];
}

const ENDINGS: Readonly<Record<ChatMetadata["status"], string>> = {
  failed: "The answer failed.",
  cancelled: "The answer was stopped.",
  interrupted: "The answer was interrupted.",
  timed_out: "The answer took too long.",
};

function endOf(metadata: ChatMetadata | undefined): string | null {
  return metadata === undefined ? null : (metadata.errorText ?? ENDINGS[metadata.status]);
}

function blockOf(part: UIPart): readonly Block[] {
  if (part.type === "text" && typeof part.text === "string" && part.text !== "")
    return [{ type: "text", text: part.text }];
  if (part.type !== "file") return [];
  const { mimeType = "", data = "" } = parseDataUrl(String(part.url)) ?? {};
  if (mimeType.startsWith("image/")) return [{ type: "image", mimeType, data }];
  return [{ type: "file", mimeType: String(part.mediaType) }];
}
