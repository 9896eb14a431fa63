/** Sessions as `--json` prints them: keys in the order of the contract, absent facts as `null`. */

import type { CatalogDetails, CatalogSession, ListedSession } from "@continuo/agents/catalog";
import {
  adviceFor,
  type Problem,
  present,
  type Severity,
  severityOf,
  toSessionRow,
} from "@continuo/core/model";
import type { TrashedSession } from "@continuo/native/editing/trash";
import { type Output, toJsonText } from "../terminal/index.ts";
import type { BranchStep } from "./branches.ts";

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
}: TrashedSession): Readonly<Record<string, unknown>> {
  const { agent, sessionId, title, cwd, updatedAt, sizeBytes, location } = info;
  return { agent, sessionId, title, cwd, updatedAt, sizeBytes, location, trashId, trashedAt };
}

/** `session show --json`: one object; writes one message per line, as it is read. */
export async function showJson(
  session: CatalogSession,
  steps: AsyncIterable<BranchStep>,
  output: Output,
): Promise<void> {
  const { agent, sessionId } = session.details;
  await output.write(`{"agent":${toJsonText(agent)},"sessionId":${toJsonText(sessionId)},"messages":[`);
  let separator = "\n";
  for await (const { message } of steps) {
    if (output.isClosed) return;
    await output.write(separator + toJsonText(message));
    separator = ",\n";
  }
  const problems = session.problems.map(problemToJson);
  await output.write(`\n],"leaves":${toJsonText(session.leaves)},"problems":${toJsonText(problems)}}\n`);
}
