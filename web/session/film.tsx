/** A session as a film: message after message, with a slider, single steps, and playback. */

import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { ErrorText } from "../content/error-text.tsx";
import { Replay } from "../parts/replay.tsx";
import { isSessionAt, partIn, route, writeAddress } from "../shell/route.ts";
import { toRows } from "../state/history.ts";
import { useConversationView } from "./conversation.tsx";
import { FilmState, filmPlaceIn } from "./film-state.ts";
import { RowView } from "./rows.tsx";
import type { SessionState } from "./session-state.ts";

export function Film({ state }: { state: SessionState }): VNode {
  const film = useMemo(() => new FilmState(state, filmPlaceIn(partIn(location.hash))), [state]);
  const shown = useConversationView(state);
  const scroller = useRef<HTMLElement>(null);
  // The outline says which turn a place is in.
  const isKnown = state.outline.value !== null;
  useEffect(() => () => film.close(), [film]);
  useEffect(() => {
    if (!isKnown) return;
    return route.subscribe(() => void film.goTo(filmPlaceIn(partIn(location.hash))));
  }, [film, isKnown]);
  const at = film.at.value;
  useEffect(() => {
    const link = state.link(at === null ? "film" : `film/${at}`);
    const isOld = location.hash !== link && isSessionAt(state.key, "film");
    if (film.latest.value > 0 && isOld) writeAddress(link);
  }, [at]);
  const messages = film.shown();
  useLayoutEffect(() => scroller.current?.scrollTo({ top: scroller.current.scrollHeight }));
  const rows = toRows(messages, { turns: [], seenFrom: null, later: film.later() });
  return (
    <>
      <main class="scroller turns film" ref={scroller} tabIndex={-1} aria-label="Film">
        {film.failure.value === null ? null : (
          <p class="notice bad" role="alert">
            <ErrorText text={film.failure.value} />
          </p>
        )}
        {rows.length > 0 ? null : <p class="empty">{isKnown ? "The film begins." : "Reading…"}</p>}
        {rows.map((row) => (
          <div key={row.key} class={`line row-${row.type}`}>
            <RowView row={row} state={state} shown={shown} />
          </div>
        ))}
      </main>
      <Replay state={film} time={messages.at(-1)?.message.timestamp ?? null} />
    </>
  );
}
