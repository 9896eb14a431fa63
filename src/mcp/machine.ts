/** What the tools are given: where sessions lie, and what the caller may see of them. */

import type { PlacesAt } from "../files/index.ts";

export interface Machine {
  readonly places: PlacesAt;
  /** Patterns of sessions that no tool may show, as `excludes` takes them; read for each call. */
  exclude(): Promise<readonly string[]>;
  /** Called where a search read many sessions in their files. */
  onUnindexed(): void;
  /** Turns the text after `since:` into a time. Errors: `usage`. */
  toTime(text: string): string;
  /** What may be shown of a text. */
  mask(text: string): string;
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** Whether Continuo's own sessions are the caller's too. */
  readonly ownSessions: "shown" | "hidden";
  /** Milliseconds after which a regular expression is stopped: nothing else is answered meanwhile. */
  readonly regexMs: number;
  /** The process of the agent that asks, or one below it; `null` where the caller is somewhere else. */
  readonly callerPid: number | null;
}
