/** The page of a session: its summary, chapters, decisions and open questions, each with the moments that it cites. */

import { visibleLine, visibleText } from "@continuo/core/transcript";
import type { PageItem, PageItemKind, LivePage as PageOfSession } from "@continuo/core/wire";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { dateAndClock } from "../content/words.ts";
import type { LiveState } from "./live-state.ts";
import { mediaTime } from "./paths.ts";

const HEADINGS: Readonly<Record<PageItemKind, string>> = {
  summary: "Summary",
  chapter: "Chapters",
  decision: "Decisions",
  question: "Open questions",
};

const KINDS = Object.keys(HEADINGS) as readonly PageItemKind[];

interface SummaryProps {
  readonly state: LiveState;
  /** Called when a moment was chosen, because on a narrow screen the timeline is another part. */
  readonly onMoment: () => void;
}

export function Summary({ state, onMoment }: SummaryProps): VNode {
  const page = useSignal<PageOfSession | null | "reading">("reading");
  const changes = state.pageChanges.value;
  useEffect(() => {
    void state.readPage().then((read) => {
      page.value = read;
    });
  }, [state, changes]);
  const shown = page.value;
  return (
    <div class="live-part">
      <h2 id="live-summary">Summary</h2>
      {shown === null ? (
        <p class="dim">
          No summary yet. It is written at a pause of two minutes, and at the end of the session.
        </p>
      ) : null}
      {shown === null || shown === "reading" ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard.
        <section class="scroller summary" tabIndex={0} aria-labelledby="live-summary">
          {KINDS.map((kind) => (
            <Items
              key={kind}
              kind={kind}
              items={shown.items.filter((item) => item.kind === kind)}
              state={state}
              onMoment={onMoment}
            />
          ))}
          <p class="note-facts">
            <span>
              {shown.writer === "extractive"
                ? "Quoted without a model"
                : `Written by ${visibleLine(shown.writer)}`}
              , {dateAndClock(shown.writtenAt)}
            </span>
            {shown.sessionId === state.session.value?.sessionId ? null : <span>of the session before</span>}
            {shown.standIn === null ? null : <span class="warn">{visibleLine(shown.standIn)}</span>}
          </p>
        </section>
      )}
    </div>
  );
}

interface ItemsProps extends SummaryProps {
  readonly kind: PageItemKind;
  readonly items: readonly PageItem[];
}

function Items({ kind, items, state, onMoment }: ItemsProps): VNode | null {
  if (items.length === 0) return null;
  return (
    <>
      {kind === "summary" ? null : <h2>{HEADINGS[kind]}</h2>}
      <ol class="plain-list">
        {items.map(({ itemId, title, text, startMs, evidence, by, videoId }) => (
          <li key={itemId} class="moment">
            <button
              type="button"
              class="evidence"
              title="Show this moment in the timeline"
              disabled={evidence.length === 0}
              onClick={() => {
                void state.showEvent(evidence[0] ?? "");
                onMoment();
              }}
            >
              {mediaTime(startMs)}
            </button>
            <div>
              {title === null ? null : (
                <p dir="auto">
                  <b>{visibleLine(title)}</b>
                </p>
              )}
              <p dir="auto">
                {visibleText(text)}
                {by === "person" ? <span class="dim"> by a person</span> : null}
                {videoId === undefined ? null : (
                  <span
                    class="dim"
                    title={`Its time is of the video ${visibleLine(videoId)}, whose tab joined.`}
                  >
                    {" "}
                    another video
                  </span>
                )}
              </p>
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}
