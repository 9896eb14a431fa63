/** A remark of the person, until a note has it. */

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ShownRemark } from "../sending/remarks.ts";
import { clock } from "./format.ts";

interface Props {
  readonly remark: ShownRemark;
  readonly onSeek: (ms: number) => void;
}

export function RemarkItem({ remark: { mediaTimeMs, text, isWaiting }, onSeek }: Props): JSX.Element {
  const item = useRef<HTMLLIElement>(null);
  // The person has just made the remark, so the list scrolls to it.
  useEffect(() => item.current?.scrollIntoView({ block: "nearest" }), []);
  return (
    <li class="note" ref={item}>
      <div class="note-head">
        <button type="button" class="time" onClick={() => onSeek(mediaTimeMs)}>
          {clock(mediaTimeMs)}
        </button>
        <span class="mark">your remark</span>
        {isWaiting && <span class="mark">not sent yet</span>}
      </div>
      <p class="note-text" dir="auto">
        {text}
      </p>
    </li>
  );
}
