/** The areas of the simulation, and the programs that each of them needs. */

import { simulateChannels } from "./channels.ts";
import { simulateEdits } from "./edits.ts";
import type { Defect, ProgramName, Programs } from "./programs.ts";
import { buildProgram } from "./programs.ts";
import { simulateRuns } from "./runs.ts";
import type { Simulate } from "./scenario.ts";

export const AREAS = ["runs", "channels", "edits"] as const;
export type Area = (typeof AREAS)[number];

const SIMULATIONS: Readonly<
  Record<Area, { readonly simulate: Simulate; readonly programs: readonly ProgramName[] }>
> = {
  runs: { simulate: simulateRuns, programs: ["database", "worker"] },
  channels: { simulate: simulateChannels, programs: ["database", "server", "client"] },
  edits: { simulate: simulateEdits, programs: ["editor"] },
};

export interface OpenedArea {
  readonly simulate: Simulate;
  readonly programs: Programs;
}

/** Builds its programs, with the mistake in them if one is given. */
export async function openArea(area: Area, defect?: Defect): Promise<OpenedArea> {
  const { simulate, programs } = SIMULATIONS[area];
  const built: Partial<Record<ProgramName, unknown>> = {};
  for (const name of programs) built[name] = await buildProgram(name, defect);
  return { simulate, programs: built as Programs };
}
