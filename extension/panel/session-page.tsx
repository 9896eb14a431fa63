/** The page of a session: summary, chapters, decisions and open questions, with citations that seek the video. */

import type { JSX } from "preact";
import type { PanelPageItem } from "../sending/panel-view.ts";
import { clock } from "./format.ts";
import { type ExportedPage, partsOf, writtenBy } from "./page-parts.ts";

interface Props {
  readonly page: ExportedPage | null;
  readonly isOpen: boolean;
  /** `null` where no video is there to seek. */
  readonly onSeek: ((ms: number) => void) | null;
}

export function SessionPage({ page, isOpen, onSeek }: Props): JSX.Element | null {
  if (page === null || page.items.length === 0) return null;
  const parts = partsOf(page);
  return (
    <details class="chapters page" open={isOpen}>
      <summary>Page{countsOf(parts)}</summary>
      {parts.map(({ kind, name, items }) => (
        <section key={kind} aria-label={name}>
          <h3>{name}</h3>
          <ul>
            {items.map((item) => (
              <Item key={item.itemId} item={item} onSeek={onSeek} />
            ))}
          </ul>
        </section>
      ))}
      <p class="dim">{writtenBy(page)}</p>
    </details>
  );
}

function countsOf(
  parts: readonly { readonly counted: string; readonly items: readonly unknown[] }[],
): string {
  const counts = parts.flatMap(({ counted, items: { length } }) =>
    counted === "" ? [] : [`${length} ${counted}${length === 1 ? "" : "s"}`],
  );
  return counts.length === 0 ? "" : `: ${counts.join(", ")}`;
}

function Item({ item, onSeek }: { readonly item: PanelPageItem } & Pick<Props, "onSeek">): JSX.Element {
  const { title, text, citations, status, by } = item;
  const mark = status === "accepted" ? "accepted" : by === "person" ? "yours" : null;
  return (
    <li>
      <p dir="auto">
        {title !== null && <strong>{title} </strong>}
        {text !== title && text}
      </p>
      <p class="cites">
        {mark !== null && <span class="mark">{mark}</span>}
        {citations.map(({ startMs, text: said }) =>
          onSeek === null ? (
            <span key={startMs} class="dim" title={said}>
              {clock(startMs)}
            </span>
          ) : (
            <button key={startMs} type="button" class="time" title={said} onClick={() => onSeek(startMs)}>
              {clock(startMs)}
            </button>
          ),
        )}
      </p>
    </li>
  );
}
