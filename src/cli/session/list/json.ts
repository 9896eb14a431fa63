/** Sessions as `--json` prints them: keys in the order of the contract, absent facts as `null`. */

import { type CatalogDetails, isOwn, type ListedSession, type TrashedOwn } from "@continuo/agents/catalog";
import {
  adviceFor,
  type Problem,
  present,
  type Severity,
  severityOf,
  toSessionRow,
} from "@continuo/core/model";
import type { TrashedSession } from "@continuo/native/editing/trash";

export interface ProblemJson {
  readonly code: string;
  readonly message: string;
  readonly line: number | null;
  readonly file?: string;
}

export interface CheckedProblemJson extends ProblemJson {
  readonly severity: Severity;
  readonly advice: string;
}

export function problemToJson({ code, message, line, file }: Problem): ProblemJson {
  return present({ code, message, line, file });
}

export function checkedProblemToJson(problem: Problem): CheckedProblemJson {
  return { ...problemToJson(problem), severity: severityOf(problem), advice: adviceFor(problem) };
}

export function infoToJson(info: ListedSession): Readonly<Record<string, unknown>> {
  return {
    ...toSessionRow(info),
    location: info.location,
    problems: info.problems.map(problemToJson),
    nativeRefs: info.nativeRefs ?? [],
  };
}

/** A row of a list, with the marks of the person. */
export function rowToJson(row: ListedSession): Readonly<Record<string, unknown>> {
  const { pinned = false, tags = [] } = row.marks ?? {};
  const incomplete = isOwn(row) && row.isPartial === true;
  return Object.assign(infoToJson(row), { pinned, tags, movedTo: row.movedTo ?? null, incomplete });
}

export function detailsToJson(details: CatalogDetails): Readonly<Record<string, unknown>> {
  return {
    ...infoToJson(details),
    messages: details.messages,
    toolCalls: details.toolCalls,
    branches: details.branches,
    records: details.records,
    unknownRecords: details.unknownRecords,
    models: details.models,
    usage: details.usage,
    agentVersions: details.agentVersions,
    subagents: details.subagents,
    forkedFrom: details.forkedFrom,
  };
}

/** A session in the trash. */
export function trashedToJson({
  trashId,
  trashedAt,
  info,
}: TrashedSession | TrashedOwn): Readonly<Record<string, unknown>> {
  const { agent, sessionId, title, cwd, updatedAt, sizeBytes, location } = info;
  return { agent, sessionId, title, cwd, updatedAt, sizeBytes, location, trashId, trashedAt };
}
