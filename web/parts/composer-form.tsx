/** The field for a message: Enter sends, Shift Enter begins a new line, and `i` moves the focus to it. */

import type { Signal } from "@preact/signals";
import type { ComponentChildren, RefObject, VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { isTyped, keyHint, useKeys } from "../shell/keys.ts";
import { lazily } from "../shell/lazy.tsx";
import { isLost } from "../state/server.ts";
import type { MentionSource } from "./file-mentions.tsx";

const FileMentions = lazily(async () => (await import("./file-mentions.tsx")).FileMentions);

interface ComposerFormOptions {
  /** For a component that also moves the focus there. */
  readonly field?: RefObject<HTMLTextAreaElement | null>;
  readonly text: Signal<string>;
  /** True if typed text is entered there from the beginning, unless another field has the focus. */
  readonly takesFocus?: boolean;
  readonly label: string;
  readonly placeholder: string;
  readonly maxLength: number;
  /** Resolves to true if the text was accepted. Text that was typed in the meantime stays. */
  readonly send: (words: string) => Promise<boolean>;
  /** Completes names of files after `@`. */
  readonly mentions?: MentionSource;
  /** Shown below the field. */
  readonly children: ComponentChildren;
}

export function ComposerForm(options: ComposerFormOptions): VNode {
  const { text, label, placeholder, maxLength, mentions, children } = options;
  const own = useRef<HTMLTextAreaElement>(null);
  const { field = own } = options;
  useKeys({ i: () => field.current?.focus() });
  useLayoutEffect(() => {
    if (options.takesFocus === true && !isTyped(document.activeElement)) field.current?.focus();
  }, []);
  const send = async (): Promise<void> => {
    const words = text.value;
    if (words.trim() === "" || isLost.value || !(await options.send(words))) return;
    text.value = text.value.startsWith(words) ? text.value.slice(words.length) : text.value;
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea
        ref={field}
        rows={1}
        maxLength={maxLength}
        aria-label={label}
        {...keyHint("i")}
        placeholder={placeholder}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          void send();
        }}
      />
      {mentions === undefined ? null : (
        <FileMentions
          field={field}
          filesOf={mentions.filesOf}
          onText={(words) => {
            text.value = words;
          }}
        />
      )}
      <div class="composer-foot">{children}</div>
    </form>
  );
}
