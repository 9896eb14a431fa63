/** The notes of a session at a position: their versions, their origins, and their evidence. */

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { visibleLine, visibleText } from "../../src/transcript/index.ts";
import type { NoteStatus } from "../../src/wire/index.ts";
import { counted, dateAndClock } from "../content/words.ts";
import { useVirtual } from "../shell/virtual.ts";
import { noteAt, type ShownNote } from "./at.ts";
import type { Item, NoteVersion } from "./fold.ts";
import type { LiveState } from "./live-state.ts";
import { mediaTime } from "./paths.ts";

export function Notes({ state }: { state: LiveState }): VNode {
  const scroller = useRef<HTMLElement>(null);
  const notes = state.notes.value;
  const virtualizer = useVirtual({
    scroller,
    rows: notes,
    keyOf: ({ history }) => history.noteId,
    sizeOf: () => 96,
    paddingEnd: 24,
  });
  const chosen = state.chosen.value;
  useLayoutEffect(() => {
    const index = notes.findIndex(({ history }) => history.noteId === chosen);
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
                key={note.history.noteId}
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

function NoteView({ note, state }: { note: ShownNote; state: LiveState }): VNode {
  const { history, version, versions } = note;
  const { text, startMs, endMs, status, by } = version;
  const isOpen = useSignal(false);
  const isChosen = state.chosen.value === history.noteId;
  const more = versions.length > 1 || history.from.length > 0;
  return (
    <article class="note-card" aria-current={isChosen ? "true" : undefined}>
      <p class="note-text">
        <bdi>{visibleText(text)}</bdi>
      </p>
      <p class="note-facts">
        <span>
          {mediaTime(startMs)}
          {endMs > startMs ? `–${mediaTime(endMs)}` : ""}
        </span>
        {by === "person" ? <span>by a person</span> : null}
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
            {versions.length > 1 ? counted(versions.length, "version") : "Where it comes from"}
          </button>
        ) : null}
      </p>
      <Evidence ids={version.evidence} state={state} />
      {isOpen.value ? <Lineage note={note} state={state} /> : null}
    </article>
  );
}

const MOST_LINKS = 12;

/** Each piece of evidence links to its place in the timeline. */
function Evidence({ ids, state }: { ids: readonly string[]; state: LiveState }): VNode | null {
  if (ids.length === 0) return null;
  const known = state.itemById.value;
  return (
    <p class="note-facts">
      <span>Evidence</span>
      {[...new Set(ids)].slice(0, MOST_LINKS).map((id) => {
        const item = known.get(id);
        return item === undefined ? (
          <span key={id}>not loaded</span>
        ) : (
          <button
            key={id}
            type="button"
            class="evidence"
            title={titleOf(item)}
            onClick={() => {
              state.chosen.value = id;
            }}
          >
            {"mediaTimeMs" in item ? mediaTime(item.mediaTimeMs) : item.type}
          </button>
        );
      })}
      {ids.length > MOST_LINKS ? <span>and {ids.length - MOST_LINKS} more</span> : null}
    </p>
  );
}

function titleOf(item: Item): string {
  return "text" in item ? visibleLine(item.text.slice(0, 200)) : "";
}

function Lineage({ note: { history, versions }, state }: { note: ShownNote; state: LiveState }): VNode {
  const { notes } = state.log.value;
  const parents = history.from.flatMap((id) => {
    const known = notes.get(id);
    const before = known === undefined ? null : noteAt(known, versions[0]?.sequence ?? null);
    return before === null ? [] : [{ id, text: before.version.text }];
  });
  return (
    <div class="lineage">
      {parents.length === 0 ? null : (
        <>
          <h3>{parents.length === 1 ? "Comes from" : `Merged from ${parents.length} notes`}</h3>
          <ul class="plain-list">
            {parents.slice(0, MOST_LINKS).map(({ id, text }) => (
              <li key={id}>
                <bdi>{visibleText(text)}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
      {versions.length < 2 ? null : (
        <>
          <h3>Versions</h3>
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
  const { sequence, at, verb, by, text } = version;
  return (
    <li>
      <button
        type="button"
        class="evidence"
        title="Show the session as it was then"
        onClick={() => {
          state.at.value = sequence;
        }}
      >
        {dateAndClock(at)}
      </button>{" "}
      <span class="dim">
        {verb}
        {by === "person" ? " by a person" : ""}
      </span>{" "}
      <bdi>{visibleText(text)}</bdi>
    </li>
  );
}
