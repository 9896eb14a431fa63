/**
 * Threads that Codex's own list does not show, found only from the files. The rules of the list are in `own-list.ts`; a
 * thread without messages is not reported.
 */

import { basename, relative } from "node:path";
import { setImmediate as otherWork } from "node:timers/promises";
import { isFailure } from "@continuo/core/model";
import type { FoundFile } from "@continuo/files";
import { openLines } from "@continuo/files/records";
import {
  type AgentVisibility,
  type FoundSession,
  goneFolders,
  type HiddenSession,
  NO_MEMO,
} from "../kit/index.ts";
import { find } from "./find.ts";
import { CODEX_CAUSES, type CodexCause } from "./hidden-causes.ts";
import { isDayFolder, isListedName, type ListRules, rulesOf } from "./list-rules.ts";
import { createHeadFold, finishHead, foldHead, promptOf, type RolloutHead } from "./own-list.ts";
import { isArchivedFile } from "./places.ts";
import { parseRecord } from "./records.ts";
import { mendHidden } from "./show-again.ts";

export const codexVisibility: AgentVisibility = {
  causes: CODEX_CAUSES,
  async *hidden(places, { memo = NO_MEMO, signal }) {
    const rules = rulesOf(places);
    const whyGone = goneFolders();
    let looked = 0;
    for await (const found of find(places, { subagents: "include", memo, ...(signal ? { signal } : {}) })) {
      looked += 1;
      if (looked % THREADS_AT_ONCE === 0) await otherWork();
      const read = (file: FoundFile): Promise<Rollout | null> =>
        memo.remember(file, { what: "codex listing", isBrief: true }, () => readRollout(file, signal));
      const reason = await whyHidden(found, { rules, whyGone, read });
      if (reason !== null) yield { found, ...reason };
    }
  },
  mend: mendHidden,
  command: ({ found, cause }) => (cause === "archived" ? ["codex", "unarchive", found.sessionId] : null),
};

const THREADS_AT_ONCE = 16;

export type Reason = Pick<HiddenSession<CodexCause>, "cause" | "detail">;

export interface Rollout {
  readonly head: RolloutHead;
  /** True if the session has a message of a person or of the model. */
  readonly isTalk: boolean;
  /** Lines before the first prompt that the interface shows; `null` if there is none. */
  readonly promptAt: number | null;
}

interface VisibilityContext {
  readonly rules: ListRules;
  readonly whyGone: ReturnType<typeof goneFolders>;
  read(file: FoundFile): Promise<Rollout | null>;
}

/** A thread of several files is listed by any of them. */
async function whyHidden(
  found: FoundSession,
  { rules, whyGone, read }: VisibilityContext,
): Promise<Reason | null> {
  let newest: Reason | null = null;
  let isTalk = false;
  for (const file of found.files) {
    const rollout = await read(file);
    // No rule of the list hides a file that cannot be read.
    if (rollout === null) return null;
    const reason = found.parentId === undefined ? reasonOf(file.path, rollout, rules) : SUB_AGENT;
    if (reason === null) return whyGone(rollout.head.cwd);
    isTalk ||= rollout.isTalk || rollout.head.hasBase;
    newest = reason;
  }
  return isTalk ? newest : null;
}

const SUB_AGENT: Reason = { cause: "sub_agent", detail: null };

/** The rules by which the agent hides a session on purpose come first, because no other change would show it. */
export function reasonOf(path: string, rollout: Rollout, { folder, provider }: ListRules): Reason | null {
  const { head, promptAt } = rollout;
  if (isArchivedFile(path)) return { cause: "archived", detail: null };
  if (head.source === "sub-agent") return SUB_AGENT;
  if (head.source === "exec") return { cause: "exec_session", detail: null };
  if (head.source === "other") return { cause: "other_source", detail: null };
  if (!isListedName(basename(path)))
    return { cause: "file_name", detail: `The file is named ${basename(path)}.` };
  if (!isDayFolder(relative(folder, path))) return { cause: "wrong_folder", detail: `It lies at ${path}.` };
  if (head.meta === "missing") return { cause: "torn_header", detail: null };
  if (head.meta === "incomplete") return { cause: "incomplete_header", detail: null };
  if (head.provider !== null && head.provider !== provider) {
    const detail = `It was recorded under ${head.provider}, and the settings name ${provider}.`;
    return { cause: "other_provider", detail };
  }
  if (head.prompt === "shown") return null;
  if (promptAt !== null)
    return { cause: "late_prompt", detail: `The first prompt stands after ${promptAt} lines.` };
  if (head.prompt === "empty") return { cause: "empty_prompt", detail: null };
  return { cause: head.hasBase && !rollout.isTalk ? "fork_without_prompt" : "no_prompt_event", detail: null };
}

/** Returns `null` for a file that cannot be read. */
async function readRollout(
  { path, sizeBytes }: FoundFile,
  signal: AbortSignal | undefined,
): Promise<Rollout | null> {
  const fold = createHeadFold();
  let isSeen = false;
  let isTalk = false;
  let promptAt: number | null = null;
  try {
    using lines = openLines(path, sizeBytes);
    for await (const records of lines.scan(signal ? { signal } : {})) {
      for (const { value, line } of records) {
        if (!isSeen) isSeen = foldHead(fold, value);
        const said = saidIn(value);
        isTalk ||= said !== "nothing";
        // The head has everything that the list needs, so the rest does not matter.
        if (isSeen && fold.prompt === "shown")
          return { head: finishHead(fold), isTalk: true, promptAt: null };
        if (isSeen && said === "prompt") promptAt ??= line - 1;
        if (promptAt !== null) return { head: finishHead(fold), isTalk, promptAt };
      }
    }
  } catch (error) {
    if (!isFailure(error)) throw error;
    return null;
  }
  return { head: finishHead(fold), isTalk, promptAt };
}

function saidIn(value: unknown): "prompt" | "words" | "nothing" {
  const record = parseRecord(value);
  if (record?.type === "event_msg") return promptOf(record.payload) === "shown" ? "prompt" : "nothing";
  if (record?.type !== "response_item" || record.payloadType !== "message") return "nothing";
  return record.payload.role === "user" || record.payload.role === "assistant" ? "words" : "nothing";
}
