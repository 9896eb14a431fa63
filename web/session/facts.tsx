/** The line below the title: agent, place and size. */

import { visibleLine } from "@continuo/core/transcript";
import type { MachineSession, Outline } from "@continuo/core/wire/machine";
import type { VNode } from "preact";
import { agentName, bytes, cost, counted, dateAndClock, shortFolder, tokens } from "../content/words.ts";
import { sessionLink } from "../shell/route.ts";
import type { SessionState } from "./session-state.ts";

export function Facts({ state }: { state: SessionState }): VNode | null {
  const head = state.head.value;
  const session = head?.session ?? state.reading.value;
  if (session === null) return state.failure.value === null ? <p class="facts">Reading…</p> : null;
  const { model, costUsd } = head === null ? session : { ...head.session, costUsd: head.costUsd };
  const models = head?.models ?? (model === null ? [] : [model]);
  const problemCount = head?.problemCount ?? 0;
  const outline = state.outline.value;
  const hasBranches = (head?.branches.length ?? 0) > 1;
  const turns = hasBranches ? session.turns : (outline?.total ?? session.turns);
  const facts: readonly (string | null)[] = [
    agentName(session.agent),
    models.length === 0 ? null : models.map(visibleLine).join(", "),
    session.cwd === null ? null : visibleLine(shortFolder(session.cwd)),
    session.gitBranch === null ? null : visibleLine(session.gitBranch),
    turns === null ? null : counted(turns, "turn"),
    session.tokens === null ? null : `${tokens(session.tokens)} tokens`,
    costUsd === null ? null : cost(costUsd),
    hasBranches && state.view.value === "history" ? branchPart(session, outline) : null,
    dateAndClock(session.updatedAt),
  ];
  return (
    <p class="facts">
      {session.live === true ? <span class="state live">live</span> : null}
      {facts
        .filter((fact) => fact !== null && fact !== "")
        .map((fact) => (
          <bdi key={fact}>{fact}</bdi>
        ))}
      {problemCount > 0 ? (
        <a class="state damaged" href={sessionLink(state.key, "details")}>
          {counted(problemCount, "problem")}
        </a>
      ) : null}
      {head === null || head.parentKey === null ? null : (
        <a href={sessionLink(head.parentKey)}>Parent session</a>
      )}
      {head?.handedOverFrom == null ? null : (
        <a href={sessionLink(head.handedOverFrom)}>The session that it was handed over from</a>
      )}
      {state.reading.value === null ? null : (
        <span class="state reading" role="status">
          {readingWords(state)}
        </span>
      )}
    </p>
  );
}

/** The figures cover all branches of the session; the turns below belong to one. */
function branchPart({ turns, tokens: all, costUsd }: MachineSession, outline: Outline | null): string | null {
  const spent = outline?.spent;
  if (outline === null || spent === undefined) return null;
  if (outline.total === turns && spent.tokens === all) return null;
  const figures = [counted(outline.total, "turn"), `${tokens(spent.tokens)} tokens`];
  if (spent.costUsd !== null && costUsd !== null) figures.push(cost(spent.costUsd));
  return `this branch: ${figures.join(", ")}`;
}

/** Shows what is still missing while a long session is being read. */
export function readingWords({ reading, head }: SessionState): string {
  const size = reading.value?.sizeBytes ?? null;
  const all = size === null ? "Reading all of it" : `Reading all ${bytes(size)}`;
  return head.value === null
    ? `${all}: earlier turns, files and cost follow`
    : `${all}: earlier turns follow`;
}
