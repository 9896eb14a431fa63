/** The notices about the list of sessions, and the error of its last read. */

import { visibleLine } from "@continuo/core/transcript";
import type { VNode } from "preact";
import { counted } from "../content/words.ts";
import { failure, notices } from "../list/list-state.ts";

export function Notices(): VNode {
  if (failure.value !== null) return <p class="notice bad">{failure.value}</p>;
  return (
    <details class="notice">
      <summary>{counted(notices.value.length, "notice")} about this list</summary>
      <ul>
        {notices.value.slice(0, 50).map((text) => (
          <li key={text}>{visibleLine(text)}</li>
        ))}
      </ul>
    </details>
  );
}
