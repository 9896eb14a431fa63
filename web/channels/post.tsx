/** One message of a channel: author, time and text. An unfinished text is a single node that grows. */

import type { Block } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { blockToHtml } from "@continuo/core/transcript/html";
import type { ChannelMessage } from "@continuo/core/wire";
import { useComputed, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { Html } from "../content/html.tsx";
import { clock, dateAndClock } from "../content/words.ts";
import type { ChannelState } from "./channel-state.ts";
import { PostActions, Reactions } from "./post-actions.tsx";

/** Characters of a message that are drawn at first. */
const SHOWN_CHARS = 16_000;

interface PostProps {
  readonly message: ChannelMessage;
  readonly state: ChannelState;
  readonly head: "whole" | "again" | "stray";
}

export function Post({ message, state, head }: PostProps): VNode {
  const { handle, kind, timestamp, state: progress } = message;
  const who = handle === null ? "The server" : visibleLine(handle);
  return (
    <article class={`post ${head}`} aria-label={`${who}, ${clock(timestamp)}`}>
      {head === "again" ? null : (
        <p class="post-head">
          <bdi class="who">{who}</bdi>
          {kind === "person" ? null : <span class="kind">{visibleLine(kind)}</span>}
          {head === "stray" ? <span class="dim">replied to an older message</span> : null}
        </p>
      )}
      <time dateTime={timestamp} title={dateAndClock(timestamp)}>
        {clock(timestamp)}
      </time>
      {progress === "open" ? (
        <Saying messageId={message.messageId} state={state} />
      ) : progress === "deleted" ? (
        <p class="post-note">Deleted</p>
      ) : (
        <Said message={message} />
      )}
      {progress === "interrupted" ? (
        <p class="post-note warn">Interrupted: its writer disappeared before the end</p>
      ) : null}
      {message.editedAt === undefined || progress === "deleted" ? null : (
        <p class="post-note" title={dateAndClock(message.editedAt)}>
          Edited
        </p>
      )}
      <Reactions message={message} state={state} />
      {state.canWrite && progress !== "deleted" ? (
        <button
          type="button"
          class="copy reply"
          aria-label={`Reply to ${who}`}
          onClick={() => {
            state.replyTo.value = message;
          }}
        >
          Reply
        </button>
      ) : null}
      {state.canReact && progress !== "deleted" && progress !== "open" ? (
        <PostActions message={message} state={state} who={who} />
      ) : null}
    </article>
  );
}

/** The text of an unfinished message: a token changes only the text node. */
function Saying({ messageId, state }: { messageId: string; state: ChannelState }): VNode {
  const words = useComputed(() => state.openText(messageId));
  return (
    <div class="post-body">
      <p class="saying">{words}</p>
      <p class="post-note">
        <span class="beat" aria-hidden="true" /> Writing
      </p>
    </div>
  );
}

function Said({ message }: { message: ChannelMessage }): VNode {
  const { messageId, content, blocks } = message;
  const isWhole = useSignal(content.length <= SHOWN_CHARS);
  const text = isWhole.value ? content : content.slice(0, SHOWN_CHARS);
  return (
    <div class="post-body">
      <Html class="prose" html={htmlOf(messageId, blocks ?? [{ type: "text", text }])} />
      {isWhole.value || blocks !== undefined ? null : (
        <p class="note cut">
          {SHOWN_CHARS.toLocaleString("en")} of {content.length.toLocaleString("en")} characters{" "}
          <button
            type="button"
            class="quiet"
            onClick={() => {
              isWhole.value = true;
            }}
          >
            Show all
          </button>
        </p>
      )}
    </div>
  );
}

/** Draws the content with the renderer of sessions, which escapes everything. */
function htmlOf(id: string, content: readonly Block[]): string {
  const message = { id, role: "assistant", content, metadata: {} } as const;
  return content.map((_, index) => blockToHtml(message, index, "served")).join("");
}
