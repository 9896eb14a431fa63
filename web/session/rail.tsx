/** The rail: the turns of a session, and the points to which a reader may want to jump. */

import { type OutlineTurn, searchableText } from "@continuo/core/wire/machine";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { titleText } from "../content/title.ts";
import { counted } from "../content/words.ts";
import { keyHint } from "../shell/keys.ts";
import { useVirtual } from "../shell/virtual.ts";
import { isSaved } from "../state/server.ts";
import { wordsIn } from "./choices.ts";
import type { ConversationView } from "./conversation.tsx";
import { SearchResults } from "./search-results.tsx";
import type { SessionState } from "./session-state.ts";

const ROW = 32;

export function Rail({ state, shown }: { state: SessionState; shown: ConversationView }): VNode {
  const words = state.find;
  const isWanted = useSignal(false);
  const asked = wordsIn(words.value).join(" ");
  // A page from disk has no server that could search.
  const what = isSaved() ? "Find a question" : "Find in this session";
  return (
    <>
      <input
        id="find-turn"
        type="search"
        placeholder={what}
        aria-label={what}
        {...keyHint("/")}
        value={words.value}
        onInput={(event) => {
          words.value = event.currentTarget.value;
          isWanted.value = false;
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") isWanted.value = true;
        }}
      />
      {asked === "" || isSaved() ? (
        <TurnList state={state} shown={shown} asked={asked} />
      ) : (
        <SearchResults state={state} words={asked} isWanted={isWanted} />
      )}
    </>
  );
}

interface TurnListProps {
  readonly state: SessionState;
  readonly shown: ConversationView;
  /** Shows only turns whose question contains this text. */
  readonly asked: string;
}

function TurnList({ state, shown, asked }: TurnListProps): VNode {
  const scroller = useRef<HTMLDivElement>(null);
  const outline = state.turns.value;
  // A rail with only one line would repeat the title and the turn next to it.
  const isOnly = outline.total === 1 && !outline.hasOlder;
  const turns = useMemo(
    () => (isOnly ? [] : outline.turns.filter(({ title }) => searchableText(title ?? "").includes(asked))),
    [outline, asked],
  );
  const virtualizer = useVirtual({
    scroller,
    rows: turns,
    keyOf: ({ number }) => number,
    sizeOf: () => ROW,
    anchorTo: "end",
  });
  const items = virtualizer.getVirtualItems();
  const current = shown.turn.value;
  const at = turns.findIndex(({ number }) => number === current);
  const here = useRef(at);
  here.current = at;
  const scroll = (): void => {
    if (here.current >= 0) virtualizer.scrollToIndex(here.current, { align: "auto" });
  };
  useEffect(() => {
    if (at < 0) return;
    scroll();
    // Turns that were added before the current one move the rail one frame later.
    const frame = requestAnimationFrame(scroll);
    return () => cancelAnimationFrame(frame);
    // Scrolling works only after the first rows are drawn and the part with this turn is loaded. The turns of the whole
    // session arrive after the loaded ones.
  }, [current, at < 0, items.length === 0, state.outline.value === null, virtualizer.scrollRect?.height]);
  // A line that was on the screen stays there when older turns are added before it, even while the virtualizer scrolls.
  const wasShown = useRef(false);
  const isShown = items.some(({ index }) => index === at);
  useLayoutEffect(() => {
    if (!wasShown.current) return;
    const frame = requestAnimationFrame(scroll);
    return () => cancelAnimationFrame(frame);
  }, [turns[0]?.number]);
  useLayoutEffect(() => {
    wasShown.current = isShown;
  });
  const isEarlier = current !== null && current > 0 && current < (turns[0]?.number ?? 0);
  const isOlderWanted = turns.length > 0 && asked === "" && (items[0]?.index === 0 || isEarlier);
  useEffect(() => {
    // The first rows are drawn at the top. After that, the rail goes to the current turn.
    const isAtTop = at >= 0 && (scroller.current?.scrollTop ?? 0) < ROW;
    if (isOlderWanted && (isEarlier || isAtTop)) void state.loadOlderTurns();
  }, [isOlderWanted, at < 0, turns.length]);
  return (
    <div class="scroller" ref={scroller}>
      <div class="rows" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {items.map(({ index, start }) => {
          const turn = turns[index];
          return turn === undefined ? null : (
            <TurnLine
              key={turn.number}
              turn={turn}
              start={start}
              state={state}
              isCurrent={turn.number === current}
            />
          );
        })}
      </div>
    </div>
  );
}

interface TurnLineProps {
  readonly turn: OutlineTurn;
  readonly start: number;
  readonly state: SessionState;
  readonly isCurrent: boolean;
}

function TurnLine({ turn, start, state, isCurrent }: TurnLineProps): VNode {
  const marks = state.turns.value.marks.filter((mark) => mark.turn === turn.number);
  const has = (type: string): boolean => marks.some((mark) => mark.type === type);
  const title = titleText(turn.title, untitled(turn));
  return (
    <a
      class={has("compaction") ? "turn-line compacted" : "turn-line"}
      style={{ transform: `translateY(${start}px)` }}
      href={state.link(turn.number > 0 ? `turn/${turn.number}` : "")}
      aria-current={isCurrent ? "true" : undefined}
      title={`${title}\n${counted(turn.toolCalls, "tool call")}`}
      onClick={() => void state.showTurn(turn.number)}
    >
      <span class="number">{turn.number > 0 ? turn.number : "·"}</span>
      <bdi>{title}</bdi>
      {has("commit") ? <Mark sign="◆" says="commit" kind="good" /> : null}
      {turn.errors > 0 ? (
        <Mark sign={`×${turn.errors}`} says={counted(turn.errors, "error")} kind="bad" />
      ) : null}
    </a>
  );
}

/** Even the first turn can lack a question: a program can send a message to the model before the person does. */
function untitled({ number }: OutlineTurn): string {
  return number === 1 ? "Before the first question" : "Without a question";
}

function Mark({ sign, says, kind }: { sign: string; says: string; kind: "good" | "bad" }): VNode {
  return (
    <span class={`mark ${kind}`} title={says}>
      <span aria-hidden="true">{sign}</span>
      <span class="hidden-text">, {says}</span>
    </span>
  );
}
