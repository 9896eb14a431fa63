/** The form that adds and removes tags, for one session or several. */

import { visibleLine } from "@continuo/core/transcript";
import type { MarkRequest } from "@continuo/core/wire/machine";
import type { Signal } from "@preact/signals";
import type { VNode } from "preact";

export type TagRequest = Pick<MarkRequest, "addTags" | "removeTags">;

interface TagFormProps {
  readonly label: string;
  /** The typed words. */
  readonly text: Signal<string>;
  /** The tags that can be removed. */
  readonly tags: readonly string[];
  /** Tags of other sessions, which the field offers. */
  readonly known?: readonly string[];
  readonly isOff: boolean;
  readonly onChange: (request: TagRequest) => void;
}

export function TagForm({ label, text, tags, known = [], isOff, onChange }: TagFormProps): VNode {
  const add = (): void => {
    const addTags = text.value.split(/[\s,#]+/u).filter(Boolean);
    if (addTags.length > 0) onChange({ addTags });
  };
  return (
    <>
      <form
        class="tag-form"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <label>
          {label}{" "}
          <input
            type="text"
            {...(known.length > 0 && { list: "known-tags" })}
            autocomplete="off"
            placeholder="review later"
            value={text.value}
            onInput={(event) => {
              text.value = event.currentTarget.value;
            }}
          />
        </label>
        {known.length === 0 ? null : (
          <datalist id="known-tags">
            {known.map((tag) => (
              <option key={tag} value={tag} />
            ))}
          </datalist>
        )}
        <button type="submit" class="primary" disabled={isOff || text.value.trim() === ""}>
          Add
        </button>
      </form>
      {tags.length === 0 ? null : (
        <p class="actions">
          {tags.map((tag) => (
            <button
              key={tag}
              type="button"
              class="quiet"
              disabled={isOff}
              onClick={() => onChange({ removeTags: [tag] })}
            >
              Remove #{visibleLine(tag)}
            </button>
          ))}
        </p>
      )}
    </>
  );
}
