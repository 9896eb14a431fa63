/** What `--json` prints: keys in the order of the contract, absent facts as `null`. */

import type { ListedSession, ShownDetails } from "../../catalog/index.ts";
import { adviceFor, type Problem, present, type Severity, severityOf } from "../../model/index.ts";

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
    agent: info.agent,
    sessionId: info.sessionId,
    title: info.title,
    cwd: info.cwd,
    gitBranch: info.gitBranch,
    createdAt: info.createdAt,
    updatedAt: info.updatedAt,
    sizeBytes: info.sizeBytes,
    archived: info.archived,
    live: info.live,
    location: info.location,
    problems: info.problems.map(problemToJson),
    nativeRefs: info.nativeRefs ?? [],
  };
}

export function detailsToJson(details: ShownDetails): Readonly<Record<string, unknown>> {
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
