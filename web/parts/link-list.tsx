/** A page with a list of links from the server, the newest first; refreshed while the page is visible. */

import type { VNode } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useKeys } from "../shell/keys.ts";
import { useVirtual } from "../shell/virtual.ts";
import { Poll } from "../state/polling.ts";
import { ask } from "../state/server.ts";

interface LinkList<Answer, Row> {
  readonly title: string;
  /** The path of the request. */
  readonly path: string;
  readonly rowsOf: (answer: Answer) => readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** A link with the class `channel-line`. */
  readonly draw: (row: Row) => VNode;
  /** Shown above the rows. */
  readonly noteOf?: (answer: Answer) => VNode | null;
  /** Shown where there are no rows. */
  readonly none: VNode;
}

export function LinkListPage<Answer, Row>(list: LinkList<Answer, Row>): VNode {
  const { title, path, rowsOf, noteOf, none } = list;
  const state = useMemo(() => new Poll((signal) => ask<Answer>(path, { signal })), [path]);
  useEffect(() => {
    document.title = `${title} · Continuo`;
    return state.follow();
  }, [state, title]);
  useKeys({
    u: () => {
      location.hash = "#/";
    },
    j: () => moveFocus(1),
    k: () => moveFocus(-1),
  });
  const answer = state.answer.value;
  const rows = answer === null ? null : rowsOf(answer);
  return (
    <main class="list-main plain-page" aria-label={title}>
      <h1>{title}</h1>
      {state.failure.value === null ? null : (
        <p class="notice bad" role="alert">
          {state.failure.value}
        </p>
      )}
      {answer === null || rows === null ? null : rows.length === 0 ? (
        none
      ) : (
        <Rows list={list} rows={rows} note={noteOf?.(answer) ?? null} />
      )}
    </main>
  );
}

interface RowsOptions<Answer, Row> {
  readonly list: LinkList<Answer, Row>;
  readonly rows: readonly Row[];
  readonly note: VNode | null;
}

function Rows<Answer, Row>({ list: { keyOf, draw }, rows, note }: RowsOptions<Answer, Row>): VNode {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtual({
    scroller,
    rows,
    keyOf,
    sizeOf: () => 60,
    paddingEnd: 48,
  });
  return (
    <div class="scroller" ref={scroller} tabIndex={-1}>
      {note}
      <ul class="rows plain-list" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
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

/** Moves the focus from line to line. */
function moveFocus(step: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>(".channel-line")];
  const at = all.indexOf(document.activeElement as HTMLElement);
  all[at === -1 ? (step === 1 ? 0 : all.length - 1) : at + step]?.focus();
}
