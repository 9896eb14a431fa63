/** The changes that a repair would make in a session, record by record. */

import { visibleText } from "@continuo/core/transcript";
import type { RepairAnswer } from "@continuo/core/wire/machine";
import type { VNode } from "preact";
import { counted } from "../content/words.ts";

export function RepairEdits({ answer }: { answer: RepairAnswer }): VNode {
  const { edits, editCount, remaining } = answer;
  if (editCount === 0 && remaining.length === 0) return <p>There is nothing to repair.</p>;
  return (
    <>
      <p>
        {editCount === 0
          ? "There is nothing that a repair can change."
          : `${counted(editCount, "change")}. Nothing is written yet; the old state goes to the trash.`}
      </p>
      {edits.map(({ type, reason, line, row, before, after }, at) => (
        <section key={at}>
          <p class="dim">
            {type} {line === null ? (row ?? "") : `line ${line}`}: {visibleText(reason)}
          </p>
          <div class="code">
            <pre class="diff">
              {before === null ? null : <span class="del">{visibleText(before)}</span>}
              {after === null ? null : <span class="ins">{visibleText(after)}</span>}
            </pre>
          </div>
        </section>
      ))}
      {remaining.length === 0 ? null : (
        <ul>
          {remaining.map((sentence) => (
            <li key={sentence}>{visibleText(sentence)}</li>
          ))}
        </ul>
      )}
    </>
  );
}
