/** A block of a message: shown as plain text until the code that draws it is loaded. */

import { visibleText } from "@continuo/core/transcript";
import type { VNode } from "preact";
import { lazily } from "../shell/lazy.tsx";
import type { BlockProps } from "./message-html.tsx";

export const Block = lazily(async () => (await import("./message-html.tsx")).BlockHtml, PlainBlock);
export const WholeMessage = lazily(async () => (await import("./message-html.tsx")).WholeHtml);

function PlainBlock({ message: { content }, index, class: name }: BlockProps): VNode {
  const blocks = content.filter((_, at) => index === undefined || at === index);
  const text = blocks.map((one) => ("text" in one ? one.text : "")).join("\n");
  return (
    <div class={name}>
      <p class="saying">{visibleText(text ?? "")}</p>
    </div>
  );
}
