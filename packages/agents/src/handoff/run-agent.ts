/**
 * Opens an agent by name, so that the session manager can execute runs with it. If Continuo can write native sessions
 * of this agent, a replay becomes such a session, and the agent's model receives it as real messages.
 */

import { statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { type AgentName, isAgentName, type KnownOptions } from "@continuo/core/model";
import { type Places, placesOfThisUser } from "@continuo/files";
import {
  assertOpenAgentOptions,
  OPEN_AGENT_OPTIONS,
  type OpenAgentOptions,
  openAgent,
} from "../drivers/index.ts";
import {
  AGENT_OPTIONS,
  type AgentOptions,
  assertAgentOptions,
  type DrivenAgent,
  type ReplayWriter,
  toAgent,
} from "../drivers/link/index.ts";
import { writeNativeSession } from "./write-session.ts";

export type RunAgentOptions = OpenAgentOptions & AgentOptions;

/**
 * Example: `executeRun(store, await openRunAgent("claude", { cwd }), runId)`. If `keepOpen` is `session`, the caller
 * must close the agent. A relative `cwd` counts from the folder of this process.
 *
 * Errors: as `openAgent`; `usage` also for an unknown option.
 */
export async function openRunAgent(name: string, options: RunAgentOptions): Promise<DrivenAgent> {
  const known = { ...OPEN_AGENT_OPTIONS, ...AGENT_OPTIONS };
  assertOpenAgentOptions("openRunAgent", options, known);
  assertAgentOptions("openRunAgent", options, known);
  const places = options.places ?? placesOfThisUser();
  const driver = await openAgent(name, { ...only<OpenAgentOptions>(options, OPEN_AGENT_OPTIONS), places });
  const writing = isAgentName(name) ? { writeReplay: replayWriterOf(name, places) } : {};
  const driving = only<AgentOptions>(options, AGENT_OPTIONS);
  return toAgent(driver, { ...writing, ...driving, cwd: resolve(options.cwd), name });
}

function only<Part extends object>(options: Part, known: KnownOptions<Part>): Part {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(known, name))) as Part;
}

/** Writes a replay as a native session of the agent. */
export function replayWriterOf(to: AgentName, places: Places): ReplayWriter {
  return async (messages, options) => {
    const { ref, receipt } = await writeNativeSession(messages, { to, places, ...options });
    const { kept, rewritten, noted, dropped } = receipt;
    const discard = discarderOf(ref.location);
    return { ref, details: { kept, rewritten, noted, dropped }, discard };
  };
}

/**
 * Returns a function that deletes the file of the native session if it did not change since it was written. A session
 * in a database is not deleted, because other sessions share the database.
 */
function discarderOf(location: string | null): () => Promise<void> {
  const path = location === null || location.includes("#") ? null : location;
  const before = path === null ? undefined : statSync(path, { throwIfNoEntry: false });
  return async () => {
    if (path === null || before === undefined) return;
    const now = statSync(path, { throwIfNoEntry: false });
    if (now?.size === before.size && now.mtimeMs === before.mtimeMs) await rm(path);
  };
}
