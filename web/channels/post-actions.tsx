/** A reader's changes of a message: reactions, and for the reader's own messages a new text or a deletion. */

import { visibleLine } from "@continuo/core/transcript";
import type { ChannelMessage } from "@continuo/core/wire";
import { CHANNEL_LIMITS } from "@continuo/core/wire";
import { type Signal, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { ChannelState } from "./channel-state.ts";

const REACTIONS: Readonly<Record<string, string>> = {
  "👍": "Thumbs up",
  "❤️": "Heart",
  "😄": "Laugh",
  "🎉": "Celebrate",
  "👀": "Look",
  "✅": "Done",
};

interface PostActionsProps {
  readonly message: ChannelMessage;
  readonly state: ChannelState;
  readonly who: string;
}

/** The part that is open below the message. */
export type OpenAction = "nothing" | "menu" | "edit" | "delete";

export function PostActions({ message, state, who }: PostActionsProps): VNode {
  const open = useSignal<OpenAction>("nothing");
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    open.value = "nothing";
    button.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes what is open below.
    <div
      class="post-actions"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || open.value === "nothing") return;
        event.preventDefault();
        close();
      }}
    >
      <button
        ref={button}
        type="button"
        class="copy"
        aria-label={`Actions for the message of ${who}`}
        aria-expanded={open.value !== "nothing"}
        onClick={() => {
          open.value = open.value === "nothing" ? "menu" : "nothing";
        }}
      >
        ⋯
      </button>
      {open.value === "menu" ? <Menu message={message} state={state} open={open} close={close} /> : null}
      {open.value === "edit" ? <EditForm message={message} state={state} close={close} /> : null}
      {open.value === "delete" ? <DeleteQuestion message={message} state={state} close={close} /> : null}
    </div>
  );
}

interface ActionProps {
  readonly message: ChannelMessage;
  readonly state: ChannelState;
  readonly close: () => void;
}

function Menu({ message, state, open, close }: ActionProps & { readonly open: Signal<OpenAction> }): VNode {
  const first = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => first.current?.focus(), []);
  return (
    <fieldset class="post-menu" aria-label="Actions">
      {Object.entries(REACTIONS).map(([reaction, name], index) => (
        <button
          key={reaction}
          ref={index === 0 ? first : null}
          type="button"
          class="quiet"
          aria-label={name}
          aria-pressed={state.hasReacted(message, reaction)}
          onClick={async () => {
            if (await state.react(message, reaction)) close();
          }}
        >
          {reaction}
        </button>
      ))}
      {state.isOwn(message)
        ? (["edit", "delete"] as const).map((action) => (
            <button
              key={action}
              type="button"
              class="quiet"
              onClick={() => {
                open.value = action;
              }}
            >
              {action === "edit" ? "Edit" : "Delete"}
            </button>
          ))
        : null}
    </fieldset>
  );
}

function EditForm({ message, state, close }: ActionProps): VNode {
  const field = useRef<HTMLTextAreaElement>(null);
  const text = useSignal(message.content);
  useLayoutEffect(() => field.current?.focus(), []);
  const save = async (): Promise<void> => {
    const words = text.value.trim();
    if (words === message.content || (words !== "" && (await state.edit(message, words)))) close();
  };
  return (
    <form
      class="post-edit"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <textarea
        ref={field}
        rows={3}
        maxLength={CHANNEL_LIMITS.messageLength}
        aria-label="New text of the message"
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          void save();
        }}
      />
      <button type="submit" class="primary" disabled={text.value.trim() === ""}>
        Save
      </button>
      <button type="button" class="quiet" onClick={close}>
        Cancel
      </button>
    </form>
  );
}

function DeleteQuestion({ message, state, close }: ActionProps): VNode {
  const keep = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => keep.current?.focus(), []);
  return (
    <fieldset class="post-menu" aria-label="Delete this message?">
      <span class="dim">Delete this message for everybody?</span>
      <button type="button" class="quiet" onClick={() => void state.remove(message)}>
        Delete it
      </button>
      <button ref={keep} type="button" class="quiet" onClick={close}>
        Keep it
      </button>
    </fieldset>
  );
}

/** Everybody's reactions; a press adds the reader's own, or takes it back. */
export function Reactions({ message, state }: Omit<ActionProps, "close">): VNode | null {
  const { reactions = [] } = message;
  if (reactions.length === 0) return null;
  return (
    <p class="post-note">
      {reactions.map(({ reaction, handles }) => {
        const words = `${visibleLine(reaction)} ${handles.length}`;
        const names = handles.map(visibleLine).join(", ");
        return state.canReact ? (
          <button
            key={reaction}
            type="button"
            class="kind"
            title={names}
            aria-pressed={state.hasReacted(message, reaction)}
            aria-label={`${REACTIONS[reaction] ?? visibleLine(reaction)}, ${handles.length}: ${names}`}
            onClick={() => void state.react(message, reaction)}
          >
            {words}
          </button>
        ) : (
          <span key={reaction} class="kind" title={names}>
            {words}
          </span>
        );
      })}
    </p>
  );
}
