/** The judgement at the top of the page: faults and open decisions, as sentences. Pure. */

import type { MachineHealth, SessionsAtRisk } from "@continuo/core/wire/machine";
import { counted } from "../content/words.ts";

export interface HealthJudgement {
  readonly tone: "good" | "warn" | "bad";
  readonly sentence: string;
  /** The id of the section that has more about it. */
  readonly section: string | null;
}

export interface HealthFacts {
  readonly isReady: boolean;
  readonly failed: number;
  readonly running: MachineHealth["running"];
  /** `null` until it is known. */
  readonly atRisk: SessionsAtRisk | null;
  /** False if the search for them failed. */
  readonly isLooking: boolean;
}

/** Returns the judgements, the worst one first; the list is never empty. */
export function judge({
  isReady,
  failed,
  running,
  atRisk,
  isLooking,
}: HealthFacts): readonly HealthJudgement[] {
  const lost = running.filter(({ runner }) => runner === "nobody").length;
  const wrong: readonly (HealthJudgement | false)[] = [
    !isReady && { tone: "bad", sentence: "The store does not answer.", section: "health-server" },
    failed > 0 && {
      tone: "bad",
      sentence: `${counted(failed, "request")} failed in the server: its output says why.`,
      section: "health-server",
    },
    lost > 0 && {
      tone: "bad",
      sentence: `${counted(lost, "turn")} lost ${lost === 1 ? "its" : "their"} process.`,
      section: "health-turns",
    },
    ...(atRisk === null ? [] : judgeSessions(atRisk)),
  ];
  const found = wrong.filter((one) => one !== false);
  if (found.length > 0) return found;
  return [{ tone: "good", sentence: sayGood(atRisk, isLooking), section: null }];
}

function sayGood(atRisk: SessionsAtRisk | null, isLooking: boolean): string {
  if (atRisk === null) {
    return `The server works. ${isLooking ? "Looking for sessions that agents hide or delete soon." : "Sessions that agents hide or delete soon are not known."}`;
  }
  const { due } = atRisk;
  const go = due.sessions === 0 ? `none will be deleted within ${counted(due.days, "day")}` : goWithin(due);
  return `Everything works. No session is hidden by its agent, and ${go}.`;
}

function judgeSessions({ due, hiddenCount, notices }: SessionsAtRisk): readonly (HealthJudgement | false)[] {
  const are =
    hiddenCount === 1 ? "is hidden from its agent's own list" : "are hidden from their agents' own lists";
  return [
    due.withoutCopy > 0 && { tone: "warn", sentence: `${goWithin(due)}.`, section: "health-due" },
    hiddenCount > 0 && {
      tone: "warn",
      sentence: `${counted(hiddenCount, "session")} ${are}.`,
      section: "health-hidden",
    },
    ...notices.map((sentence) => ({ tone: "warn", sentence, section: null }) as const),
  ];
}

/** Returns a sentence without its full stop. */
export function goWithin({ sessions, withoutCopy, days }: SessionsAtRisk["due"]): string {
  const go = `${counted(sessions, "session")} will be deleted within ${counted(days, "day")}`;
  if (withoutCopy === 0) return `${go}; the guard has a copy of each`;
  const which =
    withoutCopy === sessions
      ? "without a copy"
      : `${withoutCopy.toLocaleString("en")} of them without a copy`;
  return `${go}, ${which}`;
}
