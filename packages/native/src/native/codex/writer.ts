/**
 * Writes Codex's sessions: new ones are legacy files, which need no index; appended lines have the kind of history that
 * the file has (ordinals in a paginated one). 0.169.0 resumes both.
 *
 * Each message is in the file as the response items that the model reads, and as the events that the interface shows. A
 * turn begins with what the person says and ends with an answer that calls nothing.
 */

import { join } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { idInPath, type Json, type Places } from "@continuo/files";
import { isCompressed } from "@continuo/files/records";

import {
  type Addition,
  type Makers,
  type NativeWriter,
  type NewMessage,
  type NewSession,
  openLineSink,
  type SideFile,
  type WriterHistory,
} from "../writing/index.ts";
import { bringBackLines } from "./bring-back.ts";
import { bringSubagent } from "./bring-subagent.ts";
import { codexHome, homeOfFile } from "./places.ts";
import { parseRecord, parseSessionMeta } from "./records.ts";
import { nameThread } from "./thread-index.ts";
import { customCallsIn, type Line, toLinesOf } from "./to-items.ts";

/** The version whose format is written. */
const VERSION = "0.169.0";

export interface CodexTip {
  readonly threadId: string;
  /** The ordinal of the next line; `null` in legacy files. */
  readonly ordinal: number | null;
  /** The turn that this writer began and did not end. */
  readonly turnId: string | null;
  /** The custom calls of the last answer, whose outputs must be custom too. */
  readonly customCalls: readonly string[];
}

export const codexWriter: NativeWriter<CodexTip> = {
  agent: "codex",
  newSessionId: (makers) => makers.uuid(),
  placeOf: (session, places) => rolloutPath(session, places),
  locationOf: (sessionFile) => sessionFile,
  async openSink(sessionFile) {
    if (!isCompressed(sessionFile)) return openLineSink(sessionFile);
    throw new ContinuoError("unsupported", `cannot change ${sessionFile}: it is compressed`, {
      hint: "Resume the session in Codex, which unpacks the file.",
    });
  },
  openTip: (before) => readTip(before),
  begin: (session) => ({
    tip: { threadId: session.sessionId, ordinal: null, turnId: null, customCalls: [] },
    records: [headerOf(session)],
  }),
  bringBack: (records, session) => bringBackLines(records, session),
  besideNew: titleBeside,
  childFiles: bringSubagent,
  rename(_tip, { sessionFile, sessionId, title }, makers) {
    const home = homeOfFile(sessionFile);
    if (home !== null) return { records: [], besides: [titleLine(home, sessionId, title, makers.now())] };
    throw new ContinuoError(
      "unsupported",
      "cannot rename the session: Codex stores titles in its home, and the file is in another folder",
    );
  },
  async retitle({ sessionFile, sessionId, title }) {
    const home = homeOfFile(sessionFile);
    if (home !== null) await nameThread(home, sessionId, title);
  },
  add(tip, message, makers): Addition<CodexTip> {
    const { lines, id } = toLinesOf(message, makers, tip.customCalls);
    const timestamp = message.timestamp ?? new Date(makers.now()).toISOString();
    const turn = turnsOf(tip, message, makers);
    const all: Line[] = [...turn.before, ...lines, ...turn.after];
    const turnId = turn.turnId;
    const records = all
      .filter((line) => line.shownIn === undefined || line.shownIn === modeOf(tip))
      .map((line, at): Json => {
        const ordinal = tip.ordinal === null ? {} : { ordinal: tip.ordinal + at };
        const payload =
          typeof line.payload === "function" ? line.payload(tip.threadId, turnId) : line.payload;
        return { timestamp, ...ordinal, type: line.type, payload, ...line.more };
      });
    const ordinal = tip.ordinal === null ? null : tip.ordinal + records.length;
    const customCalls = message.role === "assistant" ? customCallsIn(message.content) : tip.customCalls;
    return { tip: { ...tip, ordinal, turnId: turn.isOver ? null : turnId, customCalls }, records, id };
  },
};

type Mode = "legacy" | "paginated";

function modeOf(tip: CodexTip): Mode {
  return tip.ordinal === null ? "legacy" : "paginated";
}

interface TurnRecords {
  readonly turnId: string;
  readonly before: readonly Line[];
  readonly after: readonly Line[];
  readonly isOver: boolean;
}

function turnsOf(tip: CodexTip, message: NewMessage, makers: Makers): TurnRecords {
  const seconds = Math.floor(makers.now() / 1000);
  const begins = message.role === "user" || tip.turnId === null;
  const turnId = begins || tip.turnId === null ? makers.uuid() : tip.turnId;
  const before: Line[] = [];
  if (begins && tip.turnId !== null) before.push(completed(tip.turnId, seconds, null));
  if (begins) {
    const payload = { type: "task_started", turn_id: turnId, started_at: seconds, ...STARTED };
    before.push({ type: "event_msg", payload });
  }
  const isOver = message.role === "assistant" && !message.content.some((block) => block.type === "tool_call");
  const last = message.content.findLast((block) => block.type === "text")?.text ?? null;
  return { turnId, before, after: isOver ? [completed(turnId, seconds, last)] : [], isOver };
}

const STARTED = { model_context_window: null, collaboration_mode_kind: "default" };

function completed(turnId: string, seconds: number, last: string | null): Line {
  const payload = {
    type: "task_complete",
    turn_id: turnId,
    last_agent_message: last,
    completed_at: seconds,
  };
  return { type: "event_msg", payload };
}

/** The header has no `model_provider`, because Codex refuses to continue with another provider than its own. */
function headerOf({ sessionId, cwd, gitBranch, createdMs, provenance }: NewSession): Json {
  const timestamp = new Date(createdMs).toISOString();
  return {
    timestamp,
    type: "session_meta",
    payload: {
      id: sessionId,
      timestamp,
      cwd,
      originator: "continuo",
      cli_version: VERSION,
      source: "cli",
      ...(gitBranch === null ? {} : { git: { branch: gitBranch } }),
      ...(provenance === undefined ? {} : { continuo: provenance }),
    },
  };
}

/** The folder and the name contain the local time, like those of Codex. */
function rolloutPath({ sessionId, createdMs }: NewSession, places: Places): string {
  const at = new Date(createdMs);
  const two = (number: number): string => String(number).padStart(2, "0");
  const [year, month, day] = [String(at.getFullYear()), two(at.getMonth() + 1), two(at.getDate())];
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join("-");
  const name = `rollout-${year}-${month}-${day}T${time}-${idInPath(sessionId)}.jsonl`;
  return join(codexHome(places), "sessions", year, month, day, name);
}

function titleBeside(session: NewSession, sessionFile: string): readonly SideFile[] {
  const home = homeOfFile(sessionFile);
  if (session.title === null || home === null) return [];
  return [titleLine(home, session.sessionId, session.title, session.createdMs)];
}

/** A line of the index of titles; the last one of an id counts. */
export function titleLine(home: string, id: string, title: string, nowMs: number): SideFile {
  const line = { id, thread_name: title, updated_at: new Date(nowMs).toISOString() };
  return { how: "append", path: join(home, "session_index.jsonl"), text: `${JSON.stringify(line)}\n` };
}

async function readTip({ opened, lastAnswer }: WriterHistory): Promise<CodexTip> {
  let ordinal: number | null = null;
  let isPaginated = false;
  for await (const { file, value } of opened.entries()) {
    if (file !== undefined) continue;
    const meta = parseSessionMeta(value);
    if (meta?.id === opened.details.sessionId && meta.paginated) isPaginated = true;
    if (meta?.base?.endOrdinal) ordinal = meta.base.endOrdinal - 1;
    const own = parseRecord(value)?.ordinal ?? null;
    if (own !== null) ordinal = Math.max(ordinal ?? own, own);
  }
  const next = isPaginated ? (ordinal ?? -1) + 1 : null;
  const customCalls = customCallsIn(lastAnswer?.content ?? []);
  return { threadId: opened.details.sessionId, ordinal: next, turnId: null, customCalls };
}
