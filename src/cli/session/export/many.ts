/** `session export` of many sessions: a data set with one line for each session, and what it lacks. */

import {
  type CatalogList,
  isListedOnlyByAgent,
  isOwn,
  type ListedSession,
  listCatalog,
  locateRow,
  type OpenOwn,
  openCatalogSession,
  openOwn,
} from "@continuo/agents/catalog";
import { ContinuoError, exitCodeOf, isContinuoError, present } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { warnOfUnfinished } from "../../notices/index.ts";
import { createProgress, type Output, plural, type Shell } from "../../terminal/index.ts";
import { isDamaged, missingOf, queryOf } from "../list/index.ts";
import { openModelView, stepsOfBranch } from "../show/index.ts";
import { assertOneBranch, datasetLine, describeLeftOut, describeUndefined } from "./dataset.ts";
import { DATASET_FORMATS, type DatasetFormat, type ExportFlags, type SessionFilters } from "./flags.ts";
import { createMask, describeMasked, type Mask } from "./mask.ts";

/** Sessions that cannot be read, each named with its reason. */
const MAX_NAMED = 10;

export interface ManyResult {
  /** Sentences for a person. */
  readonly report: readonly string[];
  readonly exitCode: number;
}

/** The format of a data set. Errors: `usage` for another one, and for flags that belong to one session. */
export function datasetFormat(flags: ExportFlags): DatasetFormat {
  const format = DATASET_FORMATS.find((one) => one === flags.format);
  if (format === undefined || flags.bundle !== undefined || flags.turns !== undefined) {
    throw new ContinuoError("usage", "several sessions can only be exported as training data", {
      hint: "Add --format openai, anthropic or sharegpt, or name one session.",
    });
  }
  assertOneBranch(format, flags);
  return format;
}

/**
 * Writes the sessions that the filters choose, the newest first, one at a time. Errors: `usage` for an unknown agent,
 * before anything is written; `unwritable`; the reason of the signal.
 */
export async function exportMany(
  { agent, here, project, since, until }: SessionFilters,
  { format, modelView }: Pick<ExportFlags, "modelView"> & { readonly format: DatasetFormat },
  output: Output,
  shell: Shell,
): Promise<ManyResult> {
  const filters = present({ agent, here, project, since, until });
  const list = await listCatalog(await queryOf({ ...filters, all: true }, shell), { places: shell });
  warnOfUnfinished(list.unfinished, shell);
  await using own = list.sessions.some(isOwn) ? await openOwn(shell) : null;
  const mask = createMask();
  const written: Written = {
    sessions: 0,
    empty: 0,
    partial: 0,
    damaged: 0,
    leftOut: {},
    undefinedTools: new Set(),
    failures: [],
  };
  using progress = createProgress(shell);
  for (const [at, row] of list.sessions.entries()) {
    shell.signal?.throwIfAborted();
    progress.show(() => `${at} of ${plural(list.sessions.length, "session")}`);
    if (isOwn(row) && row.isPartial) {
      written.partial++;
      continue;
    }
    try {
      await writeOne(row, { format, mask, written, output, shell, own, isModelView: modelView === true });
    } catch (error) {
      shell.signal?.throwIfAborted();
      if (!isContinuoError(error) || isContinuoError(error, "unwritable")) throw error;
      written.failures.push({ row, error });
    }
  }
  progress.clear();
  const [first] = [...missingOf(list), ...written.failures];
  return {
    report: [...reportOf(list, written, format), describeMasked(mask.found())],
    exitCode: first === undefined ? 0 : exitCodeOf(first.error),
  };
}

interface Written {
  sessions: number;
  empty: number;
  partial: number;
  damaged: number;
  readonly leftOut: Record<string, number>;
  readonly undefinedTools: Set<string>;
  readonly failures: { readonly row: ListedSession; readonly error: ContinuoError }[];
}

interface WriteOptions {
  readonly format: DatasetFormat;
  readonly mask: Mask;
  readonly written: Written;
  readonly output: Output;
  readonly shell: Shell;
  /** `null` if no session is Continuo's own. */
  readonly own: OpenOwn | null;
  readonly isModelView: boolean;
}

async function writeOne(row: ListedSession, options: WriteOptions): Promise<void> {
  const { format, mask, written, output, shell, own, isModelView } = options;
  if (!isOwn(row) && isListedOnlyByAgent(row.agent)) throw onlyListed(row.agent);
  const { signal } = shell;
  const located = await locateRow(row, shell, signal);
  using whole = await openCatalogSession(located, shell, present({ own: own ?? undefined, signal }));
  const opened = isModelView ? await openModelView(located, whole, undefined) : whole;
  const source = { steps: mask.steps(stepsOfBranch(opened, undefined)), session: mask.session(opened) };
  const { line, leftOut, undefinedTools } = await datasetLine(source, format, signal);
  if (isDamaged(whole)) written.damaged++;
  if (line === null) written.empty++;
  else {
    await output.write(line);
    written.sessions++;
    for (const name of undefinedTools) written.undefinedTools.add(name);
  }
  for (const [kind, count] of Object.entries(leftOut)) {
    written.leftOut[kind] = (written.leftOut[kind] ?? 0) + count;
  }
}

function onlyListed(agent: string): ContinuoError {
  return new ContinuoError("unsupported", `${agent} lists this session, and only ${agent} can read it`);
}

function reportOf(list: CatalogList, written: Written, format: DatasetFormat): readonly string[] {
  const { sessions, empty, partial, damaged, leftOut, undefinedTools, failures } = written;
  const lacking = [
    ...counted(empty + list.emptyLeftOut, "session", "without a message"),
    ...counted(partial, "session", "that an import has not completed"),
    ...counted(list.archivedLeftOut, "session", "in the archive"),
    ...counted(failures.length, "session", "that cannot be read"),
  ];
  const blocks = describeLeftOut(leftOut, format);
  const tools = describeUndefined(undefinedTools);
  const missing = missingOf(list);
  const isMatched = lacking.length + missing.length > 0;
  return [
    `${plural(sessions, "session")} as ${format}`,
    ...(sessions > 0 ? [] : [`the data set is empty${isMatched ? "" : ": no session matches"}`]),
    ...(lacking.length === 0 ? [] : [`left out: ${lacking.join(", ")}`]),
    ...(damaged === 0
      ? []
      : [`damaged, and written as far as they can be read: ${plural(damaged, "session")}`]),
    ...(blocks === undefined ? [] : [blocks]),
    ...(tools === undefined ? [] : [tools]),
    ...failures
      .slice(0, MAX_NAMED)
      .map(({ row, error }) => visibleLine(`${row.agent}:${row.sessionId}: ${error.message}`)),
    ...(failures.length > MAX_NAMED ? [`and ${failures.length - MAX_NAMED} more that cannot be read`] : []),
    ...missing.map(({ text }) => text),
  ];
}

function counted(count: number, one: string, which: string): readonly string[] {
  return count === 0 ? [] : [`${plural(count, one)} ${which}`];
}
