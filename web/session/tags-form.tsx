/** The marks of one session: its pin, and its tags. */

import { visibleLine } from "@continuo/core/transcript";
import type { MarkRequest } from "@continuo/core/wire/machine";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { mark } from "../chosen/chosen-work.ts";
import type { FormProps } from "./action-dialog.tsx";

export function TagsForm({ state, run, busy }: FormProps): VNode | null {
  const text = useSignal("");
  const marks = state.head.value?.session.marks;
  if (marks === undefined) return null;
  const change = (request: MarkRequest): Promise<void> =>
    run(async () => {
      await mark(state.key, request);
      await state.readFacts();
      text.value = "";
      return null;
    });
  return (
    <>
      <label>
        <input
          type="checkbox"
          checked={marks.pinned}
          disabled={busy.value}
          onChange={(event) => void change({ pinned: event.currentTarget.checked })}
        />{" "}
        Pinned: it stands above the others in the list
      </label>
      <form
        class="tag-form"
        onSubmit={(event) => {
          event.preventDefault();
          void change({ addTags: text.value.split(/[\s,#]+/u).filter(Boolean) });
        }}
      >
        <label>
          Tags{" "}
          <input
            type="text"
            autocomplete="off"
            placeholder="review later"
            value={text.value}
            onInput={(event) => {
              text.value = event.currentTarget.value;
            }}
          />
        </label>
        <button type="submit" class="primary" disabled={busy.value || text.value.trim() === ""}>
          Add
        </button>
      </form>
      <p class="actions">
        {marks.tags.map((tag) => (
          <button
            key={tag}
            type="button"
            class="quiet"
            disabled={busy.value}
            onClick={() => void change({ removeTags: [tag] })}
          >
            Remove #{visibleLine(tag)}
          </button>
        ))}
      </p>
    </>
  );
}
