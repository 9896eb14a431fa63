/** `doctor sessions`: the sessions that the agents' own lists do not show, the reasons, and how to bring each back. */

import { type AgentName, ContinuoError, isAgentName } from "@continuo/core/model";
import { placesOf } from "@continuo/files";
import { READABLE_AGENTS } from "@continuo/native";
import { settleBeforeReading } from "@continuo/native/editing";
import { warnOfUnfinished } from "../notices/index.ts";
import { createOutput, type Shell, toJsonText } from "../terminal/index.ts";
import { drawMissed } from "./draw-sessions.ts";
import { fixSessions } from "./fix-sessions.ts";
import { findMissed, missedToJson, type SessionsFlags, STILL_MISSED } from "./missed-sessions.ts";

export async function runSessions(flags: SessionsFlags, shell: Shell): Promise<number> {
  const places = placesOf(shell);
  const agents = agentsOf(flags.agent);
  warnOfUnfinished(await settleBeforeReading({ places }), shell);
  const missed = await findMissed(agents, shell);
  if (flags.fix !== undefined) return await fixSessions(missed, flags, shell);
  const output = createOutput(shell.stdout);
  if (flags.json) await output.write(`${toJsonText(missed.map(missedToJson), 2)}\n`);
  else await output.write(drawMissed(missed, flags, shell));
  return missed.some(({ facts }) => !facts.intended) ? STILL_MISSED : 0;
}

/** Errors: `usage` for an agent whose sessions are not read. */
function agentsOf(names: readonly string[] | undefined): readonly AgentName[] {
  return (
    names?.map((name) => {
      if (isAgentName(name)) return name;
      throw new ContinuoError("usage", `Continuo reads no sessions of ${JSON.stringify(name)}`, {
        hint: `Name one of ${READABLE_AGENTS.join(", ")}.`,
      });
    }) ?? READABLE_AGENTS
  );
}
