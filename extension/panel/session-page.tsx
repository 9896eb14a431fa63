/** The page of a session: summary, chapters, decisions and open questions, with citations that seek the video. */

import type { JSX } from "preact";
import type { Citation, PanelPageItem } from "../sending/panel-view.ts";
import { clock } from "./format.ts";
import { type ExportedPage, partsOf, writtenBy } from "./page-parts.ts";

interface Props {
  readonly page: ExportedPage | null;
  readonly isOpen: boolean;
  /** `null` if the page has no video to seek. */
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

/** An item of the page: time and text, and below them the other passages that the item cites, as in the viewer. */
function Item(props: { readonly item: PanelPageItem } & Pick<Props, "onSeek">): JSX.Element {
  const { title, text, startMs, citations, status, by, elsewhere } = props.item;
  const onSeek = elsewhere === undefined ? props.onSeek : null;
  const mark = status === "accepted" ? "accepted" : by === "person" ? "yours" : null;
  const further = citations.filter((one) => clock(one.startMs) !== clock(startMs));
  return (
    <li>
      <Time startMs={startMs} text={citations[0]?.text ?? ""} onSeek={onSeek} />
      <div>
        {title !== null && (
          <p dir="auto">
            <strong>{title}</strong>
          </p>
        )}
        {text !== title && <p dir="auto">{text}</p>}
        {(mark !== null || further.length > 0 || elsewhere !== undefined) && (
          <p class="cites">
            {elsewhere !== undefined && (
              <span class="mark" title={`It is from the video ${elsewhere}, whose tab has the same session.`}>
                another video
              </span>
            )}
            {mark !== null && <span class="mark">{mark}</span>}
            {further.map((one) => (
              <Time key={one.startMs} {...one} onSeek={onSeek} />
            ))}
          </p>
        )}
      </div>
    </li>
  );
}

/** A passage, shown by its time. A click on it seeks the video, if the page has one. */
function Time({ startMs, text, onSeek }: Citation & Pick<Props, "onSeek">): JSX.Element {
  if (onSeek === null) {
    return (
      <span class="dim" title={text}>
        {clock(startMs)}
      </span>
    );
  }
  return (
    <button type="button" class="time" title={text} onClick={() => onSeek(startMs)}>
      {clock(startMs)}
    </button>
  );
}
