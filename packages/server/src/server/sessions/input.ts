/** The bodies of requests for sessions, checked; and the page of a session with the policy that it needs. */

import { ContinuoError, present } from "@continuo/core/model";

type Body = Readonly<Record<string, unknown>>;

interface SentMessage {
  readonly text: string;
  readonly id?: string;
  readonly agent?: string;
}

/** Errors: `invalid`. */
export function messageOf({ text, id, agent }: Body): SentMessage {
  if (typeof text !== "string") throw new ContinuoError("invalid", "the body needs a text");
  return { text, ...textOrNone("id", id), ...textOrNone("agent", agent) };
}

/** The request of `useChat`: the last message is the new one. Errors: `invalid`. */
export function chatMessageOf({ messages }: Body): SentMessage {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const { id, parts } = (last ?? {}) as { readonly id?: unknown; readonly parts?: unknown };
  const texts = Array.isArray(parts) ? parts.flatMap(textsOf) : [];
  if (texts.length === 0) {
    throw new ContinuoError("invalid", "the body needs messages, the last one with a text");
  }
  return { text: texts.join("\n"), ...textOrNone("id", id) };
}

function textsOf(part: { readonly type?: unknown; readonly text?: unknown } | null): readonly string[] {
  return part?.type === "text" && typeof part.text === "string" ? [part.text] : [];
}

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

/** The page names the scripts that it runs; without a policy of its own it runs none. */
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
