/**
 * Blocks and messages as HTML. The Markdown parser is the largest part of a session's page, so it is loaded after the
 * first view.
 */

import type { Message } from "@continuo/core/model";
import { blockToHtml, messageToHtml } from "@continuo/core/transcript/html";
import type { VNode } from "preact";
import { Html } from "./html.tsx";

export interface BlockProps {
  readonly message: Message;
  /** The block; every block of the message if it is left out. */
  readonly index?: number;
  readonly class: string;
}

export function BlockHtml({ message, index, class: name }: BlockProps): VNode {
  const indexes = index === undefined ? message.content.keys() : [index];
  return <Html class={name} html={[...indexes].map((at) => blockToHtml(message, at, "served")).join("")} />;
}

export function WholeHtml({ message }: Pick<BlockProps, "message">): VNode {
  return <Html class="body message" html={messageToHtml(message, { injected: "open" })} />;
}
