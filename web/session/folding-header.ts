/**
 * The header of the page folds away while a reader scrolls down, and returns as soon as they scroll up or reach it by
 * keyboard.
 */

import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { isTyped } from "../shell/keys.ts";

const CLASS = "reads-on";
/** A trembling finger does not count as scrolling. */
const LEAST_PX = 6;

const DOWN: ReadonlySet<string> = new Set(["ArrowDown", "PageDown", "End", " "]);
const UP: ReadonlySet<string> = new Set(["ArrowUp", "PageUp", "Home"]);

export function useFoldingHeader(scroller: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const stop = new AbortController();
    const { signal } = stop;
    let touchedAt = 0;
    const wheel = ({ deltaY, ctrlKey }: WheelEvent): void => {
      if (!ctrlKey && deltaY !== 0) fold(element, deltaY > 0);
    };
    const touch = ({ touches }: TouchEvent): void => {
      touchedAt = touches[0]?.clientY ?? 0;
    };
    const drag = ({ touches }: TouchEvent): void => {
      const y = touches[0]?.clientY ?? 0;
      if (Math.abs(y - touchedAt) < LEAST_PX) return;
      fold(element, y < touchedAt);
      touchedAt = y;
    };
    const press = ({ key, shiftKey, target, defaultPrevented }: KeyboardEvent): void => {
      if (defaultPrevented || isTyped(target)) return;
      const isUp = UP.has(key) || (key === " " && shiftKey);
      if (isUp || DOWN.has(key)) fold(element, !isUp);
    };
    element.addEventListener("wheel", wheel, { signal, passive: true });
    element.addEventListener("touchstart", touch, { signal, passive: true });
    element.addEventListener("touchmove", drag, { signal, passive: true });
    document.addEventListener("keydown", press, { signal });
    return () => {
      stop.abort();
      document.documentElement.classList.remove(CLASS);
    };
  }, []);
}

/** Folds or unfolds the header. The text keeps its place on the screen, because the page scrolls by the same height. */
function fold(scroller: HTMLElement, isFolded: boolean): void {
  const { classList } = document.documentElement;
  const canFold = scroller.scrollTop > 0 && scroller.scrollHeight > scroller.clientHeight;
  if (classList.contains(CLASS) === isFolded || (isFolded && !canFold)) return;
  const before = scroller.getBoundingClientRect().top;
  classList.toggle(CLASS, isFolded);
  scroller.scrollTop += scroller.getBoundingClientRect().top - before;
}
