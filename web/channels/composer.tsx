/** The field for a message or a reply, and the writer's name. */

import { visibleLine } from "@continuo/core/transcript";
import { CHANNEL_LIMITS, isName } from "@continuo/core/wire";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { ComposerForm } from "../parts/composer-form.tsx";
import { keyHint, useKeys } from "../shell/keys.ts";
import type { ChannelState } from "./channel-state.ts";

export function Composer({ state }: { state: ChannelState }): VNode {
  const field = useRef<HTMLTextAreaElement>(null);
  const text = useSignal("");
  const replyTo = state.replyTo.value;
  useLayoutEffect(() => {
    if (replyTo !== null) field.current?.focus();
  }, [replyTo]);
  useKeys({
    Escape: () => {
      const isReply = replyTo !== null;
      state.replyTo.value = null;
      return isReply;
    },
  });
  const canSend = text.value.trim() !== "" && state.handle.value !== null && !state.isSending.value;
  return (
    <section class="dock" aria-label="Write in this channel">
      <div class="dock-body">
        {replyTo === null ? null : (
          <p class="dock-line">
            <span class="dim">Reply to</span>
            <bdi class="words">
              {replyTo.handle === null ? "the server" : visibleLine(replyTo.handle)}:{" "}
              {visibleLine(replyTo.content.slice(0, 200)).replaceAll("␊", " ")}
            </bdi>
            <button
              type="button"
              class="quiet"
              {...keyHint("Escape")}
              onClick={() => {
                state.replyTo.value = null;
              }}
            >
              No reply
            </button>
          </p>
        )}
        <ComposerForm
          field={field}
          text={text}
          label="Message"
          placeholder={replyTo === null ? `Write in ${visibleLine(state.name)}` : "Write a reply"}
          maxLength={CHANNEL_LIMITS.messageLength}
          send={async (words) => canSend && (await state.send(words))}
        >
          <Name state={state} />
          <span class="dim hint">
            <kbd>Enter</kbd> sends <kbd>Shift Enter</kbd> new line
          </span>
          <button type="submit" class="primary" disabled={!canSend}>
            Send
          </button>
        </ComposerForm>
      </div>
    </section>
  );
}

/** A reader without a name is asked for one here; a token for one handle already has it. */
function Name({ state }: { state: ChannelState }): VNode {
  const typed = useSignal(state.handle.value ?? "");
  const isWrong = typed.value !== "" && !isName(typed.value);
  const only = state.head.value?.handle ?? null;
  if (only !== null) return <bdi class="dim">{visibleLine(only)}</bdi>;
  return (
    <label class="name-field">
      <span class="dim">as</span>
      <input
        type="text"
        aria-label="Your name in channels"
        aria-invalid={isWrong}
        placeholder="your name"
        autocomplete="off"
        maxLength={128}
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
        }}
        onChange={() => state.setName(typed.value.trim())}
      />
    </label>
  );
}
