/** Rows of which only those on the screen are in the page: virtual-core, as a hook. */

import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
  type VirtualizerOptions,
} from "@tanstack/virtual-core";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

export type RowVirtualizer = Virtualizer<HTMLElement, HTMLElement>;

type Options = Pick<
  VirtualizerOptions<HTMLElement, HTMLElement>,
  "count" | "estimateSize" | "getItemKey" | "anchorTo" | "followOnAppend" | "paddingStart" | "paddingEnd"
> & { readonly scroller: { readonly current: HTMLElement | null } };

export function useVirtual({ scroller, ...given }: Options): RowVirtualizer {
  const [, draw] = useState(0);
  const kept = useRef<RowVirtualizer | null>(null);
  const options: VirtualizerOptions<HTMLElement, HTMLElement> = {
    ...given,
    getScrollElement: () => scroller.current,
    observeElementRect,
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

export type { VirtualItem };
