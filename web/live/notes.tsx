/** The notes of a session at a position: their versions, their origins, and their evidence. */

import { visibleLine, visibleText } from "@continuo/core/transcript";
import type { NoteHistory, NoteStatus } from "@continuo/core/wire";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { counted, dateAndClock } from "../content/words.ts";
import { useVirtual } from "../shell/virtual.ts";
import { type Item, type NoteVersion, versionOfEvent } from "./fold.ts";
import type { LiveState } from "./live-state.ts";
import { shownText } from "./markdown.ts";
import { mediaTime } from "./paths.ts";
import { type FrameItem, Picture } from "./picture.tsx";

export function Notes({ state }: { state: LiveState }): VNode {
  const scroller = useRef<HTMLElement>(null);
  const notes = state.notes.value;
  const virtualizer = useVirtual({
    scroller,
    rows: notes,
    keyOf: ({ noteId }) => noteId,
    sizeOf: () => 96,
    paddingEnd: 24,
  });
  const chosen = state.chosen.value;
  useLayoutEffect(() => {
    const index = notes.findIndex(({ noteId }) => noteId === chosen);
    if (index >= 0) virtualizer.scrollToIndex(index, { align: "auto" });
  }, [virtualizer, chosen]);
  return (
    <div class="live-part">
      <h2 id="live-notes">
        Notes <span class="dim">{notes.length.toLocaleString("en")}</span>
      </h2>
      {notes.length === 0 && state.isReady.value ? <p class="dim">No notes at this place.</p> : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard. */}
      <section class="scroller" ref={scroller} tabIndex={0} aria-labelledby="live-notes">
        <ol class="rows plain-list" style={{ height: `${virtualizer.getTotalSize()}px` }}>
          {virtualizer.getVirtualItems().map(({ index, start }) => {
            const note = notes[index];
            return note === undefined ? null : (
              <li
                key={note.noteId}
                class="line"
                data-index={index}
                style={{ transform: `translateY(${start}px)` }}
                ref={virtualizer.measureElement}
              >
                <NoteView note={note} state={state} />
              </li>
            );
          })}
        </ol>
      </section>
    </div>
  );
}

const STATUSES: Readonly<Record<NoteStatus, string>> = {
  draft: "draft",
  unsure: "unsure",
  written: "",
  accepted: "accepted",
  archived: "archived",
};

const FIRST_VERBS: readonly string[] = ["written", "merged", "split"] satisfies NoteVersion["verb"][];

function NoteView({ note, state }: { note: NoteVersion; state: LiveState }): VNode {
  const { noteId, startMs, endMs, status, by, verb, from, cut, videoId } = note;
  const isOpen = useSignal(false);
  const isChosen = state.chosen.value === noteId;
  const isFirst = FIRST_VERBS.includes(verb);
  const more = !isFirst || from.length > 0 || cut !== null;
  return (
    <article class="note-card" aria-current={isChosen ? "true" : undefined}>
      <Thumbnail note={note} state={state} />
      <p class="note-text" dir="auto">
        {visibleText(shownText(note))}
      </p>
      <p class="note-facts">
        <span>
          {mediaTime(startMs)}
          {endMs > startMs ? `–${mediaTime(endMs)}` : ""}
        </span>
        {by === "person" ? <span>by a person</span> : null}
        {videoId === undefined ? null : (
          <span title={`Its time is of the video ${visibleLine(videoId)}, whose tab joined.`}>
            another video
          </span>
        )}
        {STATUSES[status] === "" ? null : (
          <span class={status === "unsure" ? "warn" : ""}>{STATUSES[status]}</span>
        )}
        {more ? (
          <button
            type="button"
            class="quiet"
            aria-expanded={isOpen.value}
            onClick={() => {
              isOpen.value = !isOpen.value;
            }}
          >
            {isFirst && from.length > 0 ? "Where it comes from" : "Versions"}
          </button>
        ) : null}
      </p>
      <Evidence note={note} state={state} />
      {isOpen.value ? <Lineage note={note} state={state} /> : null}
    </article>
  );
}

/** The frame that the note cites, otherwise the first loaded frame within its span. */
function frameOf({ evidence, startMs, endMs }: NoteVersion, state: LiveState): FrameItem | undefined {
  const cited = new Set(evidence);
  const frames = state.frames.value;
  return (
    frames.find(({ id }) => cited.has(id)) ??
    frames.find(({ mediaTimeMs }) => mediaTimeMs >= startMs && mediaTimeMs <= endMs)
  );
}

function Thumbnail({ note, state }: { note: NoteVersion; state: LiveState }): VNode | null {
  const frame = frameOf(note, state);
  if (frame === undefined) return null;
  const words = frame.text === "" ? `Frame at ${mediaTime(frame.mediaTimeMs)}` : visibleLine(frame.text);
  return (
    <button
      type="button"
      class="thumbnail"
      title="Show this frame in the timeline"
      onClick={() => void state.showEvent(frame.id)}
    >
      <Picture key={frame.id} sessionKey={state.key} frame={frame} words={words} />
    </button>
  );
}

const MOST_LINKS = 12;

/** Each piece of evidence links to its place in the timeline, which is loaded if necessary. */
function Evidence({ note, state }: { note: NoteVersion; state: LiveState }): VNode | null {
  const known = state.itemById.value;
  const ids = [...new Set(note.evidence)].slice(0, MOST_LINKS);
  const loaded = ids.flatMap((id) => known.get(id) ?? []);
  const others = ids.filter((id) => !known.has(id));
  const rest = (note.cut?.evidence ?? note.evidence.length) - ids.length;
  if (ids.length === 0) return null;
  return (
    <p class="note-facts">
      <span>Evidence</span>
      {loaded.map((item) => (
        <button
          key={item.id}
          type="button"
          class="evidence"
          title={titleOf(item)}
          onClick={() => void state.showEvent(item.id)}
        >
          {"mediaTimeMs" in item ? mediaTime(item.mediaTimeMs) : item.type}
        </button>
      ))}
      {others.length === 0 ? null : (
        <button
          type="button"
          class="evidence"
          title="Load its place in the log"
          onClick={() => void state.showEvent(others[0] ?? "")}
        >
          {loaded.length === 0 ? counted(others.length, "piece") : `${others.length} elsewhere`}
        </button>
      )}
      {rest > 0 ? <span>and {rest.toLocaleString("en")} more</span> : null}
    </p>
  );
}

function titleOf(item: Item): string {
  return "text" in item ? visibleLine(item.text.slice(0, 200)) : "";
}

function Lineage({ note, state }: { note: NoteVersion; state: LiveState }): VNode {
  const history = useSignal<NoteHistory | null>(null);
  const { noteId, sequence } = note;
  useEffect(() => {
    void state.historyOf(note).then((read) => {
      history.value = read;
    });
  }, [state, noteId, sequence]);
  if (history.value === null) return <p class="dim">Reading…</p>;
  const origins = history.value.origins.map(versionOfEvent);
  const versions = history.value.versions.map(versionOfEvent);
  return (
    <div class="lineage">
      {origins.length === 0 ? null : (
        <>
          <h3>{origins.length === 1 ? "Comes from" : `Merged from ${origins.length} notes`}</h3>
          <ul class="plain-list">
            {origins.slice(0, MOST_LINKS).map((origin) => (
              <li key={origin.noteId}>
                <bdi>{visibleText(shownText(origin))}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
      {versions.length < 2 && note.cut === null ? null : (
        <>
          <h3>{history.value.hasOlder ? `The newest ${versions.length} versions` : "Versions"}</h3>
          <ol class="plain-list">
            {versions.toReversed().map((version) => (
              <VersionLine key={version.sequence} version={version} state={state} />
            ))}
          </ol>
        </>
      )}
    </div>
  );
}

function VersionLine({ version, state }: { version: NoteVersion; state: LiveState }): VNode {
  const { sequence, at, verb, by } = version;
  return (
    <li>
      <button
        type="button"
        class="evidence"
        title="Show the session as it was then"
        onClick={() => void state.goTo(sequence)}
      >
        {dateAndClock(at)}
      </button>{" "}
      <span class="dim">
        {verb}
        {by === "person" ? " by a person" : ""}
      </span>{" "}
      <bdi>{visibleText(shownText(version))}</bdi>
    </li>
  );
}
