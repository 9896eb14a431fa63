/** Shows a page with a list of links from the server, newest first. It is refreshed while the page is visible. */

import type { VNode } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { ErrorText } from "../content/error-text.tsx";
import { type Keys, useKeys } from "../shell/keys.ts";
import { useVirtual } from "../shell/virtual.ts";
import { Poll } from "../state/polling.ts";
import { ask } from "../state/server.ts";

interface LinkList<Answer, Row> {
  readonly title: string;
  /** The path of the request. */
  readonly path: string;
  readonly rowsOf: (answer: Answer) => readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Draws a row as a link with the class `channel-line`. */
  readonly draw: (row: Row) => VNode;
  /** Shown above the rows. */
  readonly noteOf?: (answer: Answer) => VNode | null;
  /** Shown where there are no rows. */
  readonly none: VNode;
}

export function LinkListPage<Answer, Row>(list: LinkList<Answer, Row>): VNode {
  const { title, path, rowsOf, noteOf, none } = list;
  const state = useMemo(() => new Poll((signal) => ask<Answer>(path, { signal, answer: "kept" })), [path]);
  useEffect(() => {
    document.title = `${title} · Continuo`;
    return state.follow();
  }, [state, title]);
  useKeys(LINK_KEYS);
  const answer = state.answer.value;
  const rows = answer === null ? null : rowsOf(answer);
  return (
    <main class="list-main plain-page" aria-label={title}>
      <h1>{title}</h1>
      {state.failure.value === null ? null : (
        <p class="notice bad" role="alert">
          <ErrorText text={state.failure.value} />
        </p>
      )}
      {answer === null || rows === null ? null : rows.length === 0 ? (
        none
      ) : (
        <LinkRows keyOf={list.keyOf} draw={list.draw} rows={rows} note={noteOf?.(answer) ?? null} />
      )}
    </main>
  );
}

export interface LinkRowsOptions<Row> extends Pick<LinkList<unknown, Row>, "keyOf" | "draw"> {
  /** Must be the same array as long as nothing has changed. */
  readonly rows: readonly Row[];
  /** Shown above the rows. */
  readonly note: VNode | null;
  /** Called with the loaded rows whenever they, or the list, have changed. */
  readonly onRows?: (first: number, last: number) => void;
}

export function LinkRows<Row>({ keyOf, draw, rows, note, onRows }: LinkRowsOptions<Row>): VNode {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtual({
    scroller,
    rows,
    keyOf,
    sizeOf: () => 60,
    paddingEnd: 48,
  });
  const shown = virtualizer.getVirtualItems();
  const [first, last] = [shown[0]?.index ?? 0, shown.at(-1)?.index ?? 0];
  useEffect(() => onRows?.(first, last), [first, last, rows]);
  return (
    <div class="scroller" ref={scroller} tabIndex={-1}>
      {note}
      <ul class="rows plain-list" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {shown.map(({ index, start }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <li
              key={keyOf(row)}
              class="line"
              data-index={index}
              style={{ transform: `translateY(${start}px)` }}
              ref={virtualizer.measureElement}
            >
              {draw(row)}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** The keys of a page of links. */
export const LINK_KEYS: Keys = {
  u: () => {
    location.hash = "#/";
  },
  j: () => moveFocus(1),
  k: () => moveFocus(-1),
};

/** Moves the focus from line to line. */
function moveFocus(step: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>(".channel-line")];
  const at = all.indexOf(document.activeElement as HTMLElement);
  all[at === -1 ? (step === 1 ? 0 : all.length - 1) : at + step]?.focus();
}
