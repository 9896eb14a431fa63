/**
 * `versions.json` has the versions of each agent that the tests know, newest first and at most `KEPT_VERSIONS`.
 * `npm run agents:update` writes the file. `CONTINUO_AGENT_VERSIONS=claude=2.1.330,pi=1.5.1` runs the tests with other
 * versions.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AGENT_NAMES, type AgentName } from "@continuo/core/model";

export const VERSIONS_FILE: string = join(import.meta.dirname, "versions.json");
export const VERSIONS_VARIABLE = "CONTINUO_AGENT_VERSIONS";
/** The soak test tries all hand-overs with this number of versions of each agent. */
export const KEPT_VERSIONS = 3;

export const VERSIONED_AGENTS: readonly AgentName[] = AGENT_NAMES;
export type VersionedAgent = AgentName;
export type AgentVersions = Readonly<Record<VersionedAgent, readonly string[]>>;

export function readVersions(): AgentVersions {
  return JSON.parse(readFileSync(VERSIONS_FILE, "utf8"));
}

/**
 * Compares two versions for `toSorted`, the newer one first. A version with a mark such as `-beta.1` is older than its
 * release.
 */
export function byNewest(one: string, other: string): number {
  const numbers = { numeric: true } as const;
  const [release = "", mark = "~"] = one.split(/-(.*)/su);
  const [otherRelease = "", otherMark = "~"] = other.split(/-(.*)/su);
  return (
    otherRelease.localeCompare(release, "en", numbers) ||
    Number(otherMark === "~") - Number(mark === "~") ||
    otherMark.localeCompare(mark, "en", numbers)
  );
}

/** Returns the versions that are kept when one is added, newest first. */
export function withVersion(versions: readonly string[], version: string): readonly string[] {
  return [...new Set([...versions, version])].toSorted(byNewest).slice(0, KEPT_VERSIONS);
}

/** Returns the version for this run: the one that the variable names, or else the newest. */
export function versionOf(agent: VersionedAgent): string {
  const version = chosenVersions()[agent] ?? readVersions()[agent][0];
  if (version === undefined) throw new Error(`${VERSIONS_FILE} has no version of ${agent}`);
  return version;
}

/** Returns true if this run uses the newest version of every agent; the documents are about these versions. */
export function isNewestOfAll(): boolean {
  return Object.entries(chosenVersions()).every(
    ([agent, version]) => readVersions()[agent as VersionedAgent][0] === version,
  );
}

/**
 * Returns values of the variable, one for each run: first with the second newest version of each agent, then with the
 * third newest.
 */
export function olderVersions(versions: AgentVersions = readVersions()): readonly string[] {
  return Array.from({ length: KEPT_VERSIONS - 1 }, (_, k) => {
    const older = VERSIONED_AGENTS.map((agent) => [agent, versions[agent][k + 1]] as const);
    return older.flatMap(([agent, version]) => (version === undefined ? [] : `${agent}=${version}`)).join();
  }).filter((run) => run !== "");
}

/** Returns the versions that the variable names. Throws for an unknown agent, and for a version such as `1.2`. */
export function chosenVersions(
  text: string = process.env[VERSIONS_VARIABLE] ?? "",
): Readonly<Partial<Record<VersionedAgent, string>>> {
  const pairs = text.split(",").filter((pair) => pair !== "");
  return Object.fromEntries(
    pairs.map((pair) => {
      const [agent = "", version = ""] = pair.split("=");
      if (!isVersioned(agent) || !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/u.test(version)) {
        throw new Error(`${VERSIONS_VARIABLE} takes AGENT=VERSION, not ${pair}`);
      }
      return [agent, version];
    }),
  );
}

export function isVersioned(name: string): name is VersionedAgent {
  return (VERSIONED_AGENTS as readonly string[]).includes(name);
}
