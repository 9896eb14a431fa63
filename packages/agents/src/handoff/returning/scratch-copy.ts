/** Writes the records of a session as those of a new one to a scratch folder, and reads them there. */

import { type AgentName, ContinuoError, type Message } from "@continuo/core/model";
import { type Json, openScratch } from "@continuo/files";
import { formatOf } from "@continuo/native";
import { stageRecords } from "@continuo/native/editing/placing";
import type { OpenedSession } from "@continuo/native/kit";
import {
  type KeptRecord,
  type Makers,
  makersOfNow,
  type NativeWriter,
  type NewSession,
} from "@continuo/native/writing";

export interface ScratchCopy {
  readonly agent: AgentName;
  readonly records: readonly KeptRecord[];
  readonly cwd: string;
  /** The number of messages after the records. */
  readonly adds: number;
}

export interface ReadCopy {
  readonly records: readonly KeptRecord[];
  /** `null` for content that cannot be written a second time, or after which the session cannot continue. */
  readonly history: readonly Message[] | null;
}

/** Never throws `unsupported`: the history is `null` instead. */
export async function readScratchCopy({ agent, records: kept, cwd, adds }: ScratchCopy): Promise<ReadCopy> {
  const writer = await (await formatOf(agent)).writer();
  const makers = makersOfNow();
  const records = adds > 0 ? (writer.beforeMore?.(kept, makers) ?? kept) : kept;
  const sessionId = writer.newSessionId(makers);
  const session = { sessionId, cwd, title: null, gitBranch: null, createdMs: makers.now() };
  try {
    return { records, history: (await withTip({ writer, records, session, makers, adds }))?.history ?? null };
  } catch (error) {
    if (error instanceof ContinuoError && error.code === "unsupported") return { records, history: null };
    throw error;
  }
}

export interface ReturnInput {
  readonly writer: NativeWriter<unknown>;
  readonly records: readonly KeptRecord[];
  readonly session: NewSession;
  readonly makers: Makers;
  /** The number of messages after the records. */
  readonly adds: number;
}

interface WithTip {
  readonly records: readonly Json[];
  /** `null` if no messages follow: a session that cannot be continued can nevertheless come back. */
  readonly tip: unknown;
  readonly history: readonly Message[];
}

/** Returns the records of the new session, and its end as the agent's reader and writer see it in a scratch folder. */
export async function withTip({
  writer,
  records,
  session,
  makers,
  adds,
}: ReturnInput): Promise<WithTip | null> {
  const back = writer.bringBack(records, session, makers);
  if (back === null) return null;
  using scratch = openScratch();
  const home = { home: scratch.path, env: {} };
  const file = stageRecords({ writer, session, records: back, home });
  const reader = await formatOf(writer.agent);
  const found = await reader.recognise(file, home);
  if (found === null) return null;
  using opened = await reader.open(found, home, {});
  const history = await Array.fromAsync(opened.history());
  return { records: back, history, tip: adds > 0 ? await tipOf(writer, opened, history) : null };
}

async function tipOf(
  writer: NativeWriter<unknown>,
  opened: OpenedSession,
  history: readonly Message[],
): Promise<unknown> {
  const lastAnswer = history.findLast((message) => message.role === "assistant") ?? null;
  const lastPrompt = history.findLast((message) => message.role === "user") ?? null;
  return await writer.openTip({ opened, lastAnswer, lastPrompt }, undefined);
}
