/**
 * The field of a new conversation before its page is loaded: text that is typed at once becomes the draft of that page.
 */

import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useDraft } from "../chat/draft.ts";

export function TypingAhead(): VNode {
  const field = useRef<HTMLTextAreaElement>(null);
  const text = useDraft("new");
  useLayoutEffect(() => field.current?.focus(), []);
  return (
    <main class="list-main plain-page" aria-label="New conversation">
      <textarea
        ref={field}
        class="hidden-text"
        aria-label="Prompt"
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          // Nothing can be sent from here.
          if (event.key === "Enter") event.preventDefault();
        }}
      />
    </main>
  );
}
