/** The receipt of a hand-over: the records that the other agent gets unchanged, changed, or not at all. */

import { visibleLine } from "@continuo/core/transcript";
import type { HandOffPreview } from "@continuo/core/wire/machine";
import type { VNode } from "preact";
import { counted } from "../content/words.ts";

/** The kept and the lost parts, before anything is written. */
export function Receipt({ preview: { receipt } }: { preview: HandOffPreview }): VNode {
  return (
    <div class="receipt">
      <table>
        <thead>
          <tr>
            <th>Record</th>
            <th>kept</th>
            <th>rewritten</th>
            <th>noted</th>
            <th>dropped</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(receipt.byKind).map(([kind, { kept, rewritten, noted, dropped }]) => (
            <tr key={kind}>
              <th scope="row">{wordsOf(kind)}</th>
              <td>{kept}</td>
              <td>{rewritten}</td>
              <td>{noted}</td>
              <td>{dropped}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <ul class="plain-list dim">
        {receipt.reasons.slice(0, 20).map(({ kind, outcome, reason, count }) => (
          <li key={`${kind}:${outcome}:${reason}`}>
            {counted(count, wordsOf(kind), wordsOf(kind))} {outcome}: {visibleLine(reason)}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** `tool call` for the record `tool_call`. */
function wordsOf(kind: string): string {
  return visibleLine(kind).replaceAll("_", " ");
}
