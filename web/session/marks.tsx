/** The searched words: marked wherever they are on the screen, with keys that go from one match to the next. */

import { searchableText } from "@continuo/core/wire/machine";
import { useSignalEffect } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useKeys } from "../shell/keys.ts";
import { wordsIn } from "./choices.ts";
import type { ConversationView } from "./conversation.tsx";
import type { SessionState } from "./session-state.ts";

interface MarksProps {
  readonly state: SessionState;
  readonly shown: ConversationView;
}

const NAME = "found-word";
const MAX_MARKS = 2_000;

export function Marks({ state, shown }: MarksProps): VNode {
  const here = useRef<string | null>(null);
  const place = useRef<HTMLSpanElement>(null);
  const go = (step: 1 | -1): unknown => {
    // While a question for permission is open, the keys select its answers.
    if (document.querySelector(".asked-permission") !== null) return false;
    const found = state.found.value.toReversed();
    const at = found.findIndex(({ messageId }) => messageId === here.current);
    const turn = shown.turn.value ?? 0;
    const next =
      at >= 0
        ? found[at + step]
        : step > 0
          ? found.find((one) => one.turn > turn)
          : found.findLast((one) => one.turn < turn);
    if (next === undefined) return;
    here.current = next.messageId;
    return void state.showMessage(next.messageId);
  };
  useKeys({ n: () => go(1), N: () => go(-1) });
  useSignalEffect(() => {
    // A new search begins at the turn on the screen.
    if (state.find.value !== "") here.current = null;
  });
  const words = wordsIn(state.find.value);
  const isGoing = state.goal.value !== null;
  useEffect(() => {
    const root = place.current?.parentElement;
    if (root == null || CSS.highlights === undefined) return;
    let due = 0;
    const mark = (): void => {
      due = 0;
      CSS.highlights.set(NAME, new Highlight(...rangesOf(root, words)));
    };
    const watch = new MutationObserver(() => {
      due ||= requestAnimationFrame(mark);
    });
    watch.observe(root, { childList: true, subtree: true, characterData: true });
    mark();
    return () => {
      watch.disconnect();
      cancelAnimationFrame(due);
      CSS.highlights.delete(NAME);
    };
  }, [words.join(" ")]);
  useEffect(() => {
    const root = place.current?.parentElement;
    if (root == null || isGoing) return;
    // The row has reached its place, but its word may be further down.
    const frame = requestAnimationFrame(() => revealFirst(root, words));
    return () => cancelAnimationFrame(frame);
  }, [isGoing]);
  return <span ref={place} hidden />;
}

function rangesOf(root: Element, words: readonly string[]): Range[] {
  const ranges: Range[] = [];
  const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode() as Text | null; node !== null; node = walk.nextNode() as Text | null) {
    const text = searchableText(node.data);
    for (const word of words) {
      for (
        let at = text.indexOf(word);
        at >= 0 && ranges.length < MAX_MARKS;
        at = text.indexOf(word, at + 1)
      ) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        ranges.push(range);
      }
    }
  }
  return ranges;
}

/** Scrolls to the first mark on the screen or below it, also inside a part of a row that has its own scroll bar. */
function revealFirst(root: Element, words: readonly string[]): void {
  const { top } = root.getBoundingClientRect();
  const first = rangesOf(root, words).find((range) => {
    const row = range.startContainer.parentElement?.closest(".line");
    return row != null && row.getBoundingClientRect().bottom > top + ROW_EDGE;
  });
  if (first === undefined) return;
  for (let part = first.startContainer.parentElement; part !== null; part = part.parentElement) {
    const [place, frame] = [first.getBoundingClientRect(), part.getBoundingClientRect()];
    const isHidden = place.top < frame.top || place.bottom > frame.bottom;
    if (isHidden && part.scrollHeight > part.clientHeight && getComputedStyle(part).overflowY !== "visible")
      part.scrollTop += place.top - frame.top - frame.height / 3;
    if (part === root) return;
  }
}

/** A row that only touches the top of the screen is not the one that the reader opened. */
const ROW_EDGE = 24;
