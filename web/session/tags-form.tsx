/** The marks of one session: its pin, and its tags. */

import type { MarkRequest } from "@continuo/core/wire/machine";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { mark } from "../chosen/chosen-work.ts";
import { TagForm } from "../parts/tag-form.tsx";
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
      <TagForm
        label="Tags"
        text={text}
        tags={marks.tags}
        isOff={busy.value}
        onChange={(request) => void change(request)}
      />
    </>
  );
}
