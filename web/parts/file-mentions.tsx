/** Names of files for a prompt: after `@`, the matching files of the folder are offered above the field. */

import { visibleLine } from "@continuo/core/transcript";
import { type Signal, useSignal } from "@preact/signals";
import type { RefObject, VNode } from "preact";
import { useEffect, useLayoutEffect } from "preact/hooks";

export interface MentionSource {
  /** Names of files that match the letters, the best match first. */
  readonly filesOf: (letters: string, signal: AbortSignal) => Promise<readonly string[]>;
}

interface FileMentionsProps extends MentionSource {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly onText: (text: string) => void;
}

interface Offer {
  readonly files: readonly string[];
  readonly at: number;
}

const TYPING_MS = 120;
/** A name with spaces is in quotes, and is not completed again. */
const MENTION = /(?:^|\s)@([^\s"@]*)$/u;

export function FileMentions({ field, filesOf, onText }: FileMentionsProps): VNode | null {
  const offer = useSignal<Offer | null>(null);
  const take = (file: string): void => {
    const area = field.current;
    const letters = area === null ? null : lettersAt(area);
    if (area === null || letters === null) return;
    const end = area.selectionStart;
    const word = /[\s"]/u.test(file) ? `"${file}" ` : `${file} `;
    area.setRangeText(word, end - letters.length, end, "end");
    onText(area.value);
    offer.value = null;
    area.focus();
  };
  useLayoutEffect(
    () => (field.current === null ? undefined : follow(field.current, { offer, filesOf, take })),
    [filesOf],
  );
  const open = offer.value;
  useEffect(() => {
    const area = field.current;
    if (open === null) area?.removeAttribute("aria-activedescendant");
    else area?.setAttribute("aria-activedescendant", `file-${open.at}`);
  }, [open]);
  if (open === null) return null;
  return (
    <div class="mentions" role="listbox" aria-label="Files">
      {open.files.map((file, at) => (
        <button
          key={file}
          id={`file-${at}`}
          type="button"
          role="option"
          tabIndex={-1}
          aria-selected={at === open.at}
          // The field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => take(file)}
        >
          <bdi>{visibleLine(file)}</bdi>
        </button>
      ))}
    </div>
  );
}

interface MentionMenu extends MentionSource {
  readonly offer: Signal<Offer | null>;
  readonly take: (file: string) => void;
}

/** Offers names while a person types; the returned function ends it. */
function follow(area: HTMLTextAreaElement, { offer, filesOf, take }: MentionMenu): () => void {
  let running = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = (): void => {
    clearTimeout(timer);
    running.abort();
    offer.value = null;
  };
  const ask = (letters: string): void => {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    const show = (files: readonly string[]): void => {
      if (!signal.aborted) offer.value = files.length === 0 ? null : { files, at: 0 };
    };
    // If the names cannot be read, the person can still write the prompt without them.
    filesOf(letters, signal).then(show, () => show([]));
  };
  const look = (): void => {
    const letters = lettersAt(area);
    clearTimeout(timer);
    if (letters === null) end();
    else timer = setTimeout(() => ask(letters), TYPING_MS);
  };
  const press = (event: KeyboardEvent): void => {
    const open = offer.value;
    if (open === null) return;
    const { files, at } = open;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) offer.value = { files, at: (at + step + files.length) % files.length };
    else if (event.key === "Enter" || event.key === "Tab") take(files[at] ?? "");
    else if (event.key === "Escape") end();
    else return;
    event.preventDefault();
    // While names are offered, Enter sends nothing, and Escape cancels no turn.
    event.stopImmediatePropagation();
  };
  // A name may have been begun before this part was loaded.
  look();
  area.addEventListener("input", look);
  area.addEventListener("blur", end);
  area.addEventListener("keydown", press, { capture: true });
  return () => {
    end();
    area.removeEventListener("input", look);
    area.removeEventListener("blur", end);
    area.removeEventListener("keydown", press, { capture: true });
  };
}

/** The letters between `@` and the cursor; `null` if no name is typed. */
function lettersAt({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): string | null {
  if (selectionStart !== selectionEnd) return null;
  return MENTION.exec(value.slice(0, selectionStart))?.[1] ?? null;
}
