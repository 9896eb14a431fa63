/** The line that shows that a turn runs, and what it waits for when the agent reports nothing. Pure. */

import { visibleLine } from "@continuo/core/transcript";

/** The time that a model may think before its agent counts as silent. */
const SILENT_MS = 10_000;

export interface StatusLineView {
  readonly agent: string;
  /** The keys that the person can press now. */
  readonly hint: string;
  readonly runsMs: number;
  /** The time of the agent's last event. */
  readonly silentMs: number;
}

/** `◌ 34 s · Ctrl-C cancels`; some agents do not report that they ask their model again after an error. */
export function drawStatusLine({ agent, hint, runsMs, silentMs }: StatusLineView): string {
  const why = `no word from ${visibleLine(agent)} for ${seconds(silentMs)} s: its model or a tool is busy, or it asks again`;
  return ["◌ ", [`${seconds(runsMs)} s`, ...(silentMs < SILENT_MS ? [] : [why]), hint].join(" · ")].join("");
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
