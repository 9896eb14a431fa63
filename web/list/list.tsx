/** Lists every session, by day and project. For a list of any length, only the rows on the screen are in the page. */

import { visibleLine } from "@continuo/core/transcript";
import { effect } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { dayName, shortFolder } from "../content/words.ts";
import { isTyped, type Keys, useKeys } from "../shell/keys.ts";
import { lazily } from "../shell/lazy.tsx";
import { route } from "../shell/route.ts";
import { type RowVirtualizer, useVirtual } from "../shell/virtual.ts";
import type { Growth } from "../state/listen.ts";
import { isSearch, type ListItem } from "../state/sessions.ts";
import { FilterColumn, SearchLine } from "./filters.tsx";
import {
  chosen,
  failure,
  filters,
  follow,
  goToFirst,
  isStale,
  items,
  keepPlaces,
  loading,
  loadMore,
  notices,
  readAddress,
  rows,
  selected,
  setFilters,
  takeWish,
  toggleChosen,
  writePlaces,
} from "./list-state.ts";
import { ListRow, rowLink } from "./row.tsx";

const HEIGHTS: Readonly<Record<ListItem["type"], number>> = { pinned: 52, day: 52, project: 30, session: 58 };
const NARROW_ROW = 78;
/** The next page is requested when this many lines are left. */
const AHEAD = 60;

const Notices = lazily(async () => (await import("../parts/notices.tsx")).Notices);
const TrashBar = lazily(async () => (await import("../parts/trash.tsx")).TrashBar);
const RestoreButton = lazily(async () => (await import("../parts/trash.tsx")).RestoreButton);
const ChosenBar = lazily(async () => (await import("../chosen/chosen-bar.tsx")).ChosenBar);
const ChosenBox = lazily(async () => (await import("../chosen/chosen-bar.tsx")).ChosenBox);
const NoSessions = lazily(async () => (await import("../parts/no-sessions.tsx")).NoSessions);

export function ListPage(): VNode {
  useEffect(() => {
    document.title = "Continuo";
    return route.subscribe(({ page }) => void (page === "list" && readAddress()));
  }, []);
  // An effect of a component waits for a frame, and could change the address of the next page.
  useEffect(() => effect(keepPlaces), []);
  useEffect(() => {
    let growth: Growth | null = null;
    // The server makes the whole list for pages that follow it, so following begins after the first rows.
    const stop = effect(() => {
      if (rows.value.length > 0 || !loading.value) growth ??= follow();
    });
    return () => {
      stop();
      growth?.close();
    };
  }, []);
  return (
    <div class="list-page">
      <FilterColumn />
      <main class="list-main" aria-label="Sessions">
        <h1 class="hidden-text">Sessions</h1>
        <SearchLine />
        {failure.value !== null || notices.value.length > 0 ? <Notices /> : null}
        {filters.value.shown === "deleted" ? <TrashBar /> : null}
        {chosen.value === null ? null : <ChosenBar />}
        <Rows />
      </main>
    </div>
  );
}

function Rows(): VNode {
  const scroller = useRef<HTMLDivElement>(null);
  const list = items.value;
  const isRanked = isSearch(filters.value);
  const isNarrow = matchMedia("(max-width: 48rem)").matches;
  const virtualizer = useVirtual({
    scroller,
    rows: list,
    keyOf: ({ key }) => key,
    sizeOf: ({ type }) =>
      type !== "session" ? HEIGHTS[type] : isRanked ? 64 : isNarrow ? NARROW_ROW : HEIGHTS.session,
    paddingEnd: 48,
  });
  const move = moveIn(list, virtualizer, scroller);
  useKeys(listKeys(move, () => openFirst(list)));
  useEffect(() => {
    if (!isStale.value && takeWish()) move(1);
  });
  const isThere = list.length > 0;
  useEffect(() => {
    // The address names the row; a row that is selected later is already on the screen.
    const at = list.findIndex(({ key }) => key === selected.peek());
    if (at >= 0) virtualizer.scrollToIndex(at, { align: "auto" });
  }, [isThere]);
  const shown = virtualizer.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= list.length - AHEAD) void loadMore();
  }, [last, list.length]);
  if (list.length === 0) return <NoSessions />;
  const now = new Date();
  return (
    <div class="scroller" ref={scroller} tabIndex={-1} aria-busy={isStale.value}>
      <div class="rows" inert={isStale.value} style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {shown.map(({ key, index, start }) => {
          const item = list[index];
          return item === undefined ? null : (
            <div
              key={key}
              class={`line ${item.type === "pinned" ? "day" : item.type}`}
              style={{ transform: `translateY(${start}px)` }}
              data-index={index}
              ref={virtualizer.measureElement}
            >
              {lineOf(item, now)}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function lineOf(item: ListItem, now: Date): VNode {
  switch (item.type) {
    case "pinned":
      return <h2>Pinned</h2>;
    case "day":
      return <h2>{dayName(item.time, now)}</h2>;
    case "project":
      return (
        <h3>
          <bdi>{item.cwd === null ? "No folder" : visibleLine(shortFolder(item.cwd))}</bdi>
        </h3>
      );
    case "session":
      return (
        <>
          {chosen.value === null ? null : <ChosenBox row={item.row} />}
          <ListRow row={item.row} />
          {item.row.trashId === null ? null : <RestoreButton row={item.row} />}
        </>
      );
  }
}

type Move = (step: number) => void;

function moveIn(
  list: readonly ListItem[],
  virtualizer: RowVirtualizer,
  scroller: { readonly current: HTMLElement | null },
): Move {
  return (step) => {
    // These rows do not belong to the present request.
    if (isStale.value) return;
    const at = list.findIndex(({ key }) => key === selected.value);
    let next = at < 0 && step < 0 ? list.length : at;
    do next += step;
    while (next >= 0 && next < list.length && list[next]?.type !== "session");
    const item = list[next];
    if (item?.type !== "session") return;
    selected.value = item.key;
    virtualizer.scrollToIndex(next, { align: "auto" });
    const focus = () =>
      scroller.current
        ?.querySelector<HTMLElement>(`[data-index="${next}"] a`)
        ?.focus({ preventScroll: true });
    // The focus moves now, so that Enter opens this row. A row that is not in the page yet gets it with the next frame.
    focus();
    requestAnimationFrame(focus);
  };
}

/** Opens the row that the search field marks; the person sees the mark before pressing the key. */
function openFirst(list: readonly ListItem[]): void {
  const first = list.find((item) => item.type === "session");
  if (first === undefined) return;
  selected.value = first.key;
  writePlaces();
  location.hash = rowLink(first.row);
}

function listKeys(move: Move, open: () => void): Keys {
  const find = (): HTMLElement | null => document.getElementById("find");
  return {
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: ({ target }) => (isTyped(target) && target !== find() ? false : move(1)),
    ArrowUp: () => move(-1),
    x: () => toggleChosen(selected.value),
    "/": () => find()?.focus(),
    // A focused row is a link, and opens by itself.
    Enter: () => {
      if (document.activeElement !== find()) return false;
      // The first row is not known yet: the key moves the selection there, and opens nothing.
      return isStale.value || !isSearch(filters.value) ? goToFirst(() => move(1)) : open();
    },
    Escape: () => {
      if (document.activeElement !== find()) {
        if (chosen.value === null) return false;
        chosen.value = null;
        return undefined;
      }
      return filters.value.text === "" ? find()?.blur() : setFilters({ text: "" });
    },
  };
}
