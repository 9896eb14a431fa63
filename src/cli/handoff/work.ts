/** The work of commands that other folders use, loaded on the first call. */

import type { AgentName } from "@continuo/core/model";
import type { Shell } from "../terminal/index.ts";

/** Runs `continuo resume`. */
export async function resumeWork(id: string, shell: Shell): Promise<number> {
  return await (await import("./resume.ts")).runResume({ id, args: [], flags: {} }, shell);
}

/** `cwd`: the folder of the new session, instead of the session's own. */
interface HandoffWish {
  readonly to: AgentName;
  readonly cwd?: string;
}

/** Runs `continuo handoff --json`. */
export async function handoffWork(id: string, wish: HandoffWish, shell: Shell): Promise<number> {
  const flags = { ...wish, verify: true, json: true } as const;
  return await (await import("./handoff.ts")).runHandoff(id, flags, shell);
}
