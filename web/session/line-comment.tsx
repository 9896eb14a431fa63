/** A comment on a line of a difference: it becomes a part of the next prompt of the session. */

import { visibleLine } from "@continuo/core/transcript";
import type { ChangedLine } from "@continuo/core/wire/machine";
import { type Signal, useSignal } from "@preact/signals";
import type { RefObject, VNode } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { addToDraft } from "../chat/draft.ts";
import { counted } from "../content/words.ts";
import type { SessionState } from "./session-state.ts";

interface LineCommentProps {
  readonly state: SessionState;
  readonly path: string;
  readonly lines: readonly ChangedLine[];
  /** The differences, in which a click selects a line. */
  readonly place: RefObject<HTMLElement | null>;
}

export function LineComment({ state, path, lines, place }: LineCommentProps): VNode {
  const isOpen = useSignal(false);
  /** The index of the line among all lines. */
  const chosen = useSignal<number | null>(null);
  const words = useSignal("");
  const written = useSignal(0);
  const field = useRef<HTMLTextAreaElement>(null);
  /** True from the click on a line until the field for its comment appears. */
  const isClicked = useRef(false);
  const known = useRef(lines);
  known.current = lines;
  useEffect(() => {
    const press = (event: MouseEvent): void => {
      const at = lineAt(event.target as Element | null, known.current, state.diff.value.sides);
      if (at === null || String(getSelection()) !== "") return;
      chosen.value = at;
      isOpen.value = true;
      isClicked.current = true;
      field.current?.focus();
    };
    const element = place.current;
    element?.addEventListener("click", press);
    return () => element?.removeEventListener("click", press);
  }, []);
  useLayoutEffect(() => {
    if (isClicked.current) field.current?.focus();
    isClicked.current = false;
  });
  const line = lines[chosen.value ?? -1];
  const add = (): void => {
    if (line === undefined) return;
    addToDraft(state.key, commentText(path, line, words.value));
    written.value += 1;
    words.value = "";
    chosen.value = null;
    isOpen.value = false;
  };
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-expanded={isOpen.value}
        title="A click on a line of the difference chooses it"
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        Comment on a line
      </button>
      {written.value === 0 ? null : (
        <span role="status">
          <a class="quiet-link" href={state.link()}>
            {counted(written.value, "comment")} in the next prompt
          </a>
        </span>
      )}
      {isOpen.value ? (
        <form
          class="line-comment"
          onSubmit={(event) => {
            event.preventDefault();
            add();
          }}
        >
          <LineChoice lines={lines} chosen={chosen} />
          <textarea
            ref={field}
            rows={2}
            aria-label="Comment"
            value={words.value}
            onInput={(event) => {
              words.value = event.currentTarget.value;
            }}
          />
          <button type="submit" class="primary" disabled={words.value.trim() === "" || line === undefined}>
            Add to the next prompt
          </button>
        </form>
      ) : null}
    </>
  );
}

/** The number of lines in the list; a click can select any line. */
const MOST_OFFERED = 2_000;

interface LineChoiceProps {
  readonly lines: readonly ChangedLine[];
  readonly chosen: Signal<number | null>;
}

function LineChoice({ lines, chosen }: LineChoiceProps): VNode {
  return (
    <select
      aria-label="Line"
      value={chosen.value ?? ""}
      onChange={(event) => {
        chosen.value = event.currentTarget.value === "" ? null : Number(event.currentTarget.value);
      }}
    >
      <option value="">Choose a line</option>
      {lines.map((line, at) =>
        line.sign === "…" || (at > MOST_OFFERED && at !== chosen.value) ? null : (
          <option key={at} value={at}>
            {`${line.after ?? line.before ?? ""} ${line.sign} ${visibleLine(line.text).slice(0, 120)}`}
          </option>
        ),
      )}
    </select>
  );
}

/** The lines are in the page in their order; in two columns they are found by their texts. */
function lineAt(element: Element | null, lines: readonly ChangedLine[], isSides: boolean): number | null {
  const shown = element?.closest<HTMLElement>(".diff > span");
  if (shown == null || shown.classList.contains("gap")) return null;
  const all = [...document.querySelectorAll(".diff > span")];
  if (!isSides) return all.indexOf(shown);
  const text = (shown.textContent ?? "").trimEnd();
  const isRemoved = shown.classList.contains("del");
  const at = lines.findIndex(
    (line) => visibleLine(line.text).trimEnd() === text && (line.sign === "-") === isRemoved,
  );
  return at === -1 ? null : at;
}

/** Returns the place, the line and the words. The line itself is included, because its number may soon change. */
export function commentText(path: string, { sign, before, after, text }: ChangedLine, words: string): string {
  const number = sign === "-" ? before : after;
  const place = number === null ? path : `${path}:${number}`;
  return `${place}${sign === "-" ? " (removed)" : ""}\n> ${text.trimEnd()}\n${words.trim()}\n`;
}
