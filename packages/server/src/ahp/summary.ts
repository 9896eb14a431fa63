/** Rows of the list as the protocol shows them. Pure. */

import { AGENT_LABELS, isAgentName, present } from "@continuo/core/model";
import type { MachineSession } from "@continuo/core/wire/machine";
import { ACTIVITY_BITS, type AgentInfo, type SessionSummary, STATUS } from "./protocol.ts";
import { parseSessionUri, toFileUri, toSessionUri } from "./uris.ts";

const NO_TIME = "1970-01-01T00:00:00.000Z";

export function toSummary(row: MachineSession, uri: string = toSessionUri(row.key)): SessionSummary {
  const { title, createdAt, updatedAt, cwd, archived } = row;
  const modifiedAt = updatedAt ?? createdAt ?? NO_TIME;
  return {
    resource: uri,
    provider: parseSessionUri(uri)?.provider ?? row.agent,
    title: title ?? "Untitled",
    status: STATUS.idle | STATUS.isRead | (archived ? STATUS.isArchived : 0),
    createdAt: createdAt ?? modifiedAt,
    modifiedAt,
    ...present({ workingDirectories: cwd === null ? undefined : [toFileUri(cwd)] }),
    _meta: { continuo: { key: row.key, ...factsOf(row) } },
  };
}

/** The facts and names are those of the gateway's `session/list`; unknown facts are left out. */
function factsOf({ gitBranch, live, problems, costUsd, forkedFrom }: MachineSession): object {
  return present({
    gitBranch: gitBranch ?? undefined,
    live: live ?? undefined,
    health: problems.length === 0 ? undefined : { problems },
    costUsd: costUsd ?? undefined,
    // The source is named as in this list.
    forkedFrom: forkedFrom === null ? undefined : toSessionUri(forkedFrom),
  });
}

/** The summary of a session whose chat is open here: only the chat tells what the session does. */
export function withActivity(
  summary: SessionSummary,
  chat: { readonly status: number } | undefined,
): SessionSummary {
  if (chat === undefined) return summary;
  const status = (summary.status & ~ACTIVITY_BITS) | (chat.status & ACTIVITY_BITS);
  return { ...summary, status };
}

/** The machine keeps its rows between two lists, and their summaries are kept with them. */
const kept = new WeakMap<MachineSession, SessionSummary | null>();

/** The summary under the name that the row's key gives; `null` for a row that is not shown. */
export function keptSummary(row: MachineSession): SessionSummary | null {
  const known = kept.get(row);
  if (known !== undefined) return known;
  const made = isShown(row) ? toSummary(row) : null;
  kept.set(row, made);
  return made;
}

/** The fields of a summary that differ from those of the one before. */
export function changesOf(before: SessionSummary, summary: SessionSummary): Partial<SessionSummary> {
  return Object.fromEntries(
    Object.entries(summary).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof SessionSummary]),
    ),
  );
}

const encoder = new TextEncoder();
const encoded = new WeakMap<SessionSummary, Uint8Array>();

/** A summary as JSON in UTF-8. A long list would spend most of its time on encoding the same summaries again. */
export function keptBytes(summary: SessionSummary): Uint8Array {
  const known = encoded.get(summary);
  if (known !== undefined) return known;
  const bytes = encoder.encode(JSON.stringify(summary));
  encoded.set(summary, bytes);
  return bytes;
}

/** Sub-agents and parts of channels are not conversations; a session without a title has no message of a person. */
export function isShown({ place, title, key }: MachineSession): boolean {
  return place === null && title !== null && parseSessionUri(toSessionUri(key)) !== null;
}

/** Continuo itself is always in the list: a new session of it has the agent that `continuo chat` would choose. */
export function toAgents(names: Iterable<string>): readonly AgentInfo[] {
  return [...new Set(["continuo", ...names])].map((provider) => ({
    provider,
    displayName: labelOf(provider),
    description: `Sessions of ${labelOf(provider)} on this machine, through Continuo`,
    // The model is a setting of the agent's own program.
    models: [{ id: "default", provider, name: "The agent's own" }],
  }));
}

function labelOf(provider: string): string {
  if (provider === "continuo") return "Continuo";
  return isAgentName(provider) ? AGENT_LABELS[provider] : provider;
}
