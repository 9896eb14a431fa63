/** Virtual rows: only those on the screen are in the page. Wraps virtual-core as a hook. */

import type { Signal } from "@preact/signals";
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type Rect,
  type VirtualItem,
  Virtualizer,
  type VirtualizerOptions,
} from "@tanstack/virtual-core";
import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";

export type RowVirtualizer = Virtualizer<HTMLElement, HTMLElement>;

interface Options<Row>
  extends Pick<
    VirtualizerOptions<HTMLElement, HTMLElement>,
    "anchorTo" | "followOnAppend" | "paddingStart" | "paddingEnd"
  > {
  readonly scroller: { readonly current: HTMLElement | null };
  /** This must be the same array until something changes: for a new array, all positions are computed again. */
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** The estimated height before it is drawn. */
  readonly sizeOf: (row: Row) => number;
  /** A further value on which `sizeOf` depends. */
  readonly sizedBy?: unknown;
}

export function useVirtual<Row>({
  scroller,
  rows,
  keyOf,
  sizeOf,
  sizedBy,
  ...given
}: Options<Row>): RowVirtualizer {
  const [, draw] = useState(0);
  const kept = useRef<RowVirtualizer | null>(null);
  const at = <T>(index: number, of: (row: Row) => T, otherwise: T): T => {
    const row = rows[index];
    return row === undefined ? otherwise : of(row);
  };
  const options: VirtualizerOptions<HTMLElement, HTMLElement> = {
    ...given,
    count: rows.length,
    // The virtualizer computes all positions again for another function.
    getItemKey: useCallback((index) => at<string | number>(index, keyOf, index), [rows, sizedBy]),
    estimateSize: (index) => at(index, sizeOf, 0),
    getScrollElement: () => scroller.current,
    observeElementRect: given.followOnAppend === true ? observeRectFromEnd : observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    overscan: 8,
    useAnimationFrameWithResizeObserver: false,
    onChange: () => draw((count) => count + 1),
  };
  kept.current ??= new Virtualizer(options);
  const virtualizer = kept.current;
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}

/**
 * Returns true if at most `px` pixels are below the screen, or would be if the screen had the given height. The
 * virtualizer's own offset is wrong between a change of the rows and the next scroll event.
 */
export function isAtEnd({ scrollElement }: RowVirtualizer, px: number, height?: number): boolean {
  if (scrollElement === null) return true;
  const { scrollTop, clientHeight, scrollHeight } = scrollElement;
  return scrollHeight - (height ?? clientHeight) - scrollTop <= px;
}

/**
 * A reader at the end stays there when the visible area becomes lower, for example when the message field is loaded
 * below.
 */
function observeRectFromEnd(
  virtualizer: RowVirtualizer,
  tell: (rect: Rect) => void,
): (() => void) | undefined {
  let before: number | undefined;
  return observeElementRect(virtualizer, (rect) => {
    const wasAtEnd = before !== undefined && isAtEnd(virtualizer, 8, before);
    before = virtualizer.scrollElement?.clientHeight;
    tell(rect);
    if (wasAtEnd) virtualizer.scrollToEnd();
  });
}

/** The position counts as correct if nothing moved for this many frames. */
const STILL_FRAMES = 3;
const MAX_FRAMES = 60;

/**
 * Scrolls to the goal as soon as its rows exist, and then clears the goal. The size of a row is an estimate until it is
 * drawn, so it scrolls again until nothing moves, for at most `MAX_FRAMES` frames.
 */
export function useGoal<Goal>(
  virtualizer: RowVirtualizer,
  goal: Signal<Goal | null>,
  go: (goal: Goal) => void,
): void {
  const wanted = goal.value;
  useLayoutEffect(() => {
    if (wanted === null) return;
    let frame = 0;
    let still = 0;
    let last = Number.NaN;
    let request = 0;
    const step = (): void => {
      go(wanted);
      const offset = virtualizer.scrollOffset ?? 0;
      still = offset === last ? still + 1 : 0;
      last = offset;
      frame += 1;
      if (still < STILL_FRAMES && frame < MAX_FRAMES) request = requestAnimationFrame(step);
      else {
        virtualizer.cancelScroll();
        goal.value = null;
      }
    };
    request = requestAnimationFrame(step);
    return () => cancelAnimationFrame(request);
  }, [goal, virtualizer, wanted]);
}

export type { VirtualItem };
