/** The outcome of a continuation, in one line. */

import type { Resumption, ResumptionStep } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { plural } from "../../terminal/index.ts";

export interface ResumptionFacts {
  /** The id of the own session. */
  readonly sessionId: string;
  readonly agent: string;
  readonly resumption: Resumption;
  /** `short`: enough to distinguish them, so that the line fits a terminal. */
  readonly ids: "whole" | "short";
}

/** `session 0199… · resumed claude:4bf3… (checked by agent and disk)` */
export function describeResumption({ sessionId, agent, resumption, ids }: ResumptionFacts): string {
  const { happened, ref, verifiedBy, reason, forked, omitted, steps = [] } = resumption;
  const cut = (id: string): string => (ids === "short" ? id.slice(0, SHORT_ID_CHARS) : id);
  const name = `${agent}${ref === undefined ? "" : `:${cut(ref.sessionId)}`}`;
  // The turn failed before the agent began anything.
  const isNowhere = happened === "new" && ref === undefined;
  const parts = [
    `session ${cut(sessionId)}`,
    isNowhere
      ? ""
      : `${WORDS[happened]} ${name}${happened === "native" ? checkedBy(verifiedBy) : formOf(resumption)}`,
  ];
  if (forked !== undefined) parts.push(`the agent continued in another session than ${forked.from}`);
  if (omitted !== undefined) parts.push(leftOut(omitted));
  parts.push(detour(steps));
  if (reason !== undefined) parts.push(reason);
  return visibleLine(parts.filter((part) => part !== "").join(" · "));
}

/** If an id begins with its time, these characters contain the time up to the millisecond. */
const SHORT_ID_CHARS = 13;

const WORDS: Readonly<Record<Resumption["happened"], string>> = {
  native: "resumed",
  replay: "replayed the conversation to",
  new: "new",
};

function checkedBy(verifiedBy: Resumption["verifiedBy"]): string {
  return verifiedBy === "none" ? " (not checked)" : ` (checked by ${verifiedBy})`;
}

/** The form of a replay; empty for a new session, or if the form is not known. */
function formOf({ replayedAs, verifiedBy }: Resumption): string {
  if (replayedAs === "text") return " (as text of the prompt)";
  if (replayedAs !== "session") return "";
  return verifiedBy === "none"
    ? " (as a session of its own)"
    : ` (as a session of its own, checked by ${verifiedBy})`;
}

/** `session/load not offered, session/resume done`; empty if the first way succeeded. */
function detour(steps: readonly ResumptionStep[]): string {
  const tried = steps.filter(({ outcome }) => outcome !== "skipped");
  if (tried.every(({ outcome }) => outcome === "done")) return "";
  return tried
    .map(({ step, outcome, reason }) => `${step} ${outcome}${reason === undefined ? "" : ` (${reason})`}`)
    .join(", ");
}

function leftOut({ messages, events }: Readonly<Record<string, unknown>>): string {
  if (typeof messages === "number" && messages > 0) return `${plural(messages, "message")} left out`;
  return typeof events === "number" && events > 0 ? `${plural(events, "event")} left out` : "";
}
