/** Checks the bodies of requests for sessions, and sends the page of a session with the policy that it needs. */

import { type Block, ContinuoError, parseDataUrl, present } from "@continuo/core/model";
import { assertListLimit, CHANNEL_LIMITS, isId } from "@continuo/core/wire";

type Body = Readonly<Record<string, unknown>>;

interface SentMessage {
  readonly text: string;
  readonly id?: string;
  readonly agent?: string;
  readonly again: boolean;
}

/** Errors: `invalid`. */
export function messageOf({ text, id, agent, again = false }: Body): SentMessage {
  if (typeof text !== "string") throw new ContinuoError("invalid", "the body needs a text");
  if (typeof again !== "boolean") throw new ContinuoError("invalid", "again must be true or false");
  return { text, again, ...messageIdOf(id), ...textOrNone("agent", agent) };
}

export interface SentChat {
  readonly input: readonly Block[];
  readonly id?: string;
  /** The page asks for another answer: `regenerate()` of `useChat`, which also sends a lost message again. */
  readonly regenerates: boolean;
  /** False for a page that follows the whole chat, and needs no stream of this answer. */
  readonly streams: boolean;
}

/** In a request of `useChat`, the last message is the one to answer. Errors: `invalid`. */
export function chatMessageOf({ messages, trigger, stream = true }: Body): SentChat {
  if (typeof stream !== "boolean") throw new ContinuoError("invalid", "stream must be true or false");
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const { id, parts, role = "user" } = (last ?? {}) as Body;
  const input = role === "user" && Array.isArray(parts) ? parts.flatMap(blocksOf) : [];
  if (input.length === 0) {
    throw new ContinuoError(
      "invalid",
      "the body needs messages, and the last one must be of a user, with a text or a file",
      role === "assistant"
        ? { hint: "Send the answer to a question of an agent to `/v1/approvals/ID`." }
        : {},
    );
  }
  return { input, ...messageIdOf(id), regenerates: trigger === "regenerate-message", streams: stream };
}

/** A message without an id is a new one each time it is sent. Errors: `invalid`. */
function messageIdOf(id: unknown): { readonly id?: string } {
  if (id === undefined || id === null) return {};
  if (isId(id)) return { id };
  const { idLength } = CHANNEL_LIMITS;
  throw new ContinuoError(
    "invalid",
    `the id of a message must be a text of 1 to ${idLength} characters without control characters`,
  );
}

function blocksOf(part: Body | null): readonly Block[] {
  const { type, text, mediaType, url } = part ?? {};
  if (type === "text" && typeof text === "string" && text !== "") return [{ type, text }];
  if (type !== "file" || typeof mediaType !== "string" || typeof url !== "string") return [];
  const data = parseDataUrl(url)?.data;
  if (data === undefined) {
    // Otherwise an agent would read a file of this machine, or fetch from its network, for the author of the message.
    throw new ContinuoError("invalid", "a file must come with its content, as a data: address in base64");
  }
  const kind = mediaType.startsWith("image/") ? "image" : "file";
  return [{ type: kind, mimeType: mediaType, data }];
}

/** Errors: `invalid`. */
export function limitOf(asked: string | undefined): { readonly limit?: number } {
  if (asked === undefined) return {};
  const limit = /^\d{1,4}$/u.test(asked) ? Number(asked) : Number.NaN;
  assertListLimit(limit);
  return { limit };
}

/** The answers that a request names. Errors: `invalid`. */
export function openOf({ open }: Body): { readonly open?: readonly string[] } {
  if (open === undefined || open === null) return {};
  const isList =
    Array.isArray(open) && open.length <= MAX_OPEN && open.every((one) => typeof one === "string");
  if (!isList) throw new ContinuoError("invalid", "open must be a list of texts");
  return { open: [...new Set(open)] };
}

/** A session has no more waiting answers than this. */
const MAX_OPEN = 100;

/** Errors: `invalid`. */
export function textOrNone<Name extends string>(
  name: Name,
  value: unknown,
): { readonly [N in Name]?: string } {
  if (value !== undefined && value !== null && typeof value !== "string") {
    throw new ContinuoError("invalid", `${name} must be a text`);
  }
  return present({ [name]: value ?? undefined }) as { readonly [N in Name]?: string };
}

const PAGE_POLICY = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/u;

/** The page names the scripts that it runs; without its own policy it would run none. */
export function htmlResponse(html: string): Response {
  const policy = PAGE_POLICY.exec(html)?.[1];
  return new Response(html, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      ...present({
        "content-security-policy": policy === undefined ? undefined : `${policy}; frame-ancestors 'none'`,
      }),
    },
  });
}
