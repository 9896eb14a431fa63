/**
 * Reads and writes one session of any agent through one interface. The reader and the writer of the agent know its
 * format; this file decides when files are opened, who may write, and in which order.
 */

import {
  type AgentName,
  type Block,
  ContinuoError,
  cancellable,
  type ImageBlock,
  isContinuoError,
  type Message,
  openInAgent,
  present,
  toPlainJson,
  type Usage,
} from "@continuo/core/model";
import { isJson, type Places, type WriterLock } from "@continuo/files";
import { agentOf, type Lookup } from "../../native/index.ts";
import type { AgentReader, FoundSession, OpenedSession } from "../../native/kit/index.ts";
import {
  type Addition,
  blocksGiven,
  checkMessage,
  type Makers,
  type NativeWriter,
  type NewMessage,
  type NewSession,
  type OpenCalls,
  openCallsIn,
  type RecordSink,
  type WriterHistory,
} from "../../native/writing/index.ts";
import { lockForEdit, settleUnfinished } from "../locking/index.ts";
import { againOnConflict, appendRecords, placeSession } from "../placing/index.ts";

/** The agents' names in the contract of adapters. */
export type AdapterFormat = "pi-agent" | "ccsdk" | Exclude<AgentName, "pi" | "claude">;

export interface SessionMetadata {
  readonly sessionId: string;
  readonly cwd: string | null;
  readonly gitBranch: string | null;
  readonly title: string | null;
  /** The agent's own short name for the session, or with Gemini CLI for its folder. */
  readonly slug: string | null;
  /** The version of the agent that wrote last. */
  readonly version: string | null;
  /** ISO 8601 UTC. */
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
}

export interface SessionAdapter extends AsyncDisposable {
  readonly format: AdapterFormat;
  /** The path of the file; empty until the first call for a session that `create` begins without a path. */
  readonly sessionFile: string;
  /** The active history. Errors: `not_found`, `unreadable`. */
  loadHistory(): Promise<Message[]>;
  getMetadata(): Promise<SessionMetadata>;
  /**
   * When the message is on disk, these three methods resolve to the id that the message has in the agent's file.
   *
   * Empty texts are left out, and halves of characters are replaced, because the agent could not continue with them.
   *
   * Errors: `session_live` while the agent has the session open, `busy` when another writer has it open for too long,
   * `invalid` or `too_large` for content that the agent cannot store or that no model accepts, `not_found`,
   * `unwritable`. Nothing is written then. `conflict` if the agent wrote at the same time; then `details.isWritten` is
   * true if the message was written nevertheless.
   */
  appendUserMessage(content: string | readonly Block[], images?: readonly ImageInput[]): Promise<string>;
  appendAssistantMessage(content: string | readonly Block[], usage?: Usage): Promise<string>;
  /** Errors: also `invalid` if no call with that id waits for a result. */
  appendToolResult(toolCallId: string, result: string | readonly Block[], isError?: boolean): Promise<string>;
  /** Resolves when everything that was appended before is on disk. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** `base64` is another name of `data`, which some libraries use. */
export type ImageInput = Pick<ImageBlock, "mimeType" | "data" | "url"> & { readonly base64?: string };

export interface AdapterParts {
  readonly format: AdapterFormat;
  readonly places: Places;
  /** Loads the code for the agent's format at the first call. */
  readonly load: () => Promise<{
    readonly reader: AgentReader;
    readonly writer: NativeWriter<unknown>;
  }>;
  /** Converts a session to the format that the agent writes now; false if it already has that format. */
  readonly upgrade: (lookup: Lookup, writer: NativeWriter<unknown>) => Promise<boolean>;
  readonly sessionFile: string | null;
  readonly sessionId: string | null;
  readonly create: Omit<NewSession, "sessionId" | "createdMs"> | null;
  readonly makers: Makers;
  readonly lockWaitMs: number;
  readonly signal: AbortSignal | undefined;
}

/** The state of the session between two calls. */
interface Session {
  readonly reader: AgentReader;
  readonly writer: NativeWriter<unknown>;
  readonly sink: RecordSink;
  readonly file: string;
  readonly sessionId: string;
  /** The end of the session at the state `mark` of the sink. */
  tip: unknown;
  mark: string | null;
  calls: OpenCalls;
  /** A session that does not exist yet. */
  beginning: NewSession | null;
}

export function createAdapter(parts: AdapterParts): SessionAdapter {
  let session: Session | null = null;
  let lock: WriterLock | null = null;
  let isClosed = false;
  let queue: Promise<unknown> = Promise.resolve();

  /** Runs calls one after the other. After a call that fails, the next one still runs. */
  function inTurn<T>(run: () => Promise<T>): Promise<T> {
    if (isClosed) return Promise.reject(closedError());
    const result = queue.then(() => cancellable(parts.signal, run));
    queue = result.catch(() => undefined);
    return result;
  }

  async function ready(): Promise<Session> {
    session ??= await openParts(parts);
    return session;
  }

  async function append(message: NewMessage): Promise<string> {
    const current = await ready();
    if (lock === null) {
      const { places, lockWaitMs: waitMs, signal } = parts;
      const { file, sessionId, reader } = current;
      lock = await lockForEdit({ agent: reader.agent, sessionId, file }, { places, waitMs, signal });
      await settleUnfinished({ places, file: current.file, signal });
    }
    try {
      return await againOnConflict(async () => {
        await refresh(current, parts);
        return await write(current, message, parts);
      });
    } finally {
      // The lock stays until the results of a call are written, so that no other writer separates them.
      if (!current.calls.holdsOwn()) unlock();
    }
  }

  function unlock(): void {
    lock?.release();
    lock = null;
  }

  return {
    format: parts.format,
    get sessionFile() {
      return session?.file ?? parts.sessionFile ?? "";
    },
    loadHistory: () => inTurn(async () => await readHistory(await ready(), parts)),
    getMetadata: () => inTurn(async () => await readMetadata(await ready(), parts)),
    appendUserMessage: (content, images = []) =>
      inTurn(() => append({ role: "user", content: [...blocksOf(content), ...imagesOf(images)] })),
    appendAssistantMessage: (content, usage) =>
      inTurn(() =>
        append(present({ role: "assistant", content: blocksOf(content), usage: usageGiven(usage) })),
      ),
    appendToolResult: (toolCallId, result, isError = false) =>
      inTurn(() => {
        const block = { type: "tool_result", toolCallId, content: blocksOf(result), isError };
        return append({ role: "tool", content: blocksGiven([block]) });
      }),
    flush: () => inTurn(async () => undefined),
    async close() {
      isClosed = true;
      await queue;
      unlock();
      session?.sink.close();
      session = null;
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}

/** Errors: `invalid`, `too_large`. */
function blocksOf(given: unknown): readonly Block[] {
  if (typeof given === "string") return [{ type: "text", text: given }];
  const content = toPlainJson(given);
  return blocksGiven(Array.isArray(content) ? content.map(withData) : content);
}

function imagesOf(given: unknown): readonly Block[] {
  const images = toPlainJson(given);
  if (!Array.isArray(images)) return blocksGiven(images);
  return blocksGiven(images.map((image) => withData(isJson(image) ? { ...image, type: "image" } : image)));
}

/** `base64` of a picture becomes its `data`. */
function withData(block: unknown): unknown {
  if (!isJson(block) || block.type !== "image" || block.base64 === undefined) return block;
  const { base64, ...image } = block;
  return { data: base64, ...image };
}

/** Errors: `invalid` if the counts are not numbers from 0 on. */
function usageGiven(given: unknown): Usage | undefined {
  if (given === undefined) return undefined;
  const usage = toPlainJson(given);
  const isCount = (count: unknown): boolean => typeof count === "number" && count >= 0;
  if (
    isJson(usage) &&
    Object.values(usage).every(isCount) &&
    isCount(usage.inputTokens) &&
    isCount(usage.outputTokens)
  )
    return usage as unknown as Usage;
  throw new ContinuoError("invalid", "the usage of an answer must be counts of tokens", {
    hint: "Give `inputTokens` and `outputTokens` as numbers.",
  });
}

function closedError(): ContinuoError {
  return new ContinuoError("unavailable", "the session adapter is closed");
}

async function openParts(parts: AdapterParts): Promise<Session> {
  const { reader, writer } = await parts.load();
  const { create, makers } = parts;
  const sessionId = parts.sessionId ?? (create === null ? null : writer.newSessionId(makers));
  const beginning =
    create === null || sessionId === null ? null : { ...create, sessionId, createdMs: makers.now() };
  const file = parts.sessionFile ?? (beginning === null ? "" : writer.placeOf(beginning, parts.places));
  const id = sessionId ?? (await find(reader, file, null, parts.places)).sessionId;
  const sink = await writer.openSink(file, id, parts.places);
  const calls = openCallsIn(agentOf(reader.agent), []);
  return { reader, writer, sink, file, sessionId: id, tip: null, mark: null, calls, beginning };
}

/** Errors: `not_found`. */
async function find(
  reader: AgentReader,
  location: string,
  sessionId: string | null,
  places: Places,
): Promise<FoundSession> {
  const found = await reader.recognise(location, places);
  if (found !== null && (sessionId === null || found.sessionId === sessionId)) return found;
  const wanted = sessionId === null ? "" : ` ${sessionId}`;
  throw new ContinuoError("not_found", `there is no session${wanted} of ${reader.agent} in ${location}`);
}

function findAgain({ reader, writer, file, sessionId }: Session, parts: AdapterParts): Promise<FoundSession> {
  return find(reader, writer.locationOf(file, sessionId), sessionId, parts.places);
}

/**
 * Reads the end of the session again if it was written to since then. Errors: `session_live`, `not_found`; `conflict`
 * if a new session's file already contains a session.
 */
async function refresh(session: Session, parts: AdapterParts): Promise<void> {
  const { reader, writer, sink } = session;
  if (session.beginning !== null) {
    if (sink.mark() !== null)
      throw new ContinuoError("conflict", `${session.file} already contains a session`);
    return;
  }
  const found = await findAgain(session, parts);
  if (found.live === true) {
    throw openInAgent(found, {
      hint: "Close it there first: two writers would damage the conversation.",
    });
  }
  const mark = sink.mark();
  if (mark !== null && mark === session.mark) return;
  using opened = await open(reader, found, parts);
  const history = await Array.fromAsync(opened.history());
  session.calls = openCallsIn(agentOf(reader.agent), history, session.calls);
  const end: WriterHistory = {
    opened,
    lastAnswer: history.findLast((message) => message.role === "assistant") ?? null,
    lastPrompt: history.findLast((message) => message.role === "user") ?? null,
  };
  try {
    session.tip = await writer.openTip(end, parts.signal);
    session.mark = mark;
  } catch (error) {
    if (!isContinuoError(error, "unsupported")) throw error;
    if (!(await parts.upgrade({ reader, found }, writer))) throw error;
    await refresh(session, parts);
  }
}

async function write(
  session: Session,
  message: NewMessage,
  { makers, places }: AdapterParts,
): Promise<string> {
  const { writer, sink, beginning, calls } = session;
  const checked = checkMessage(message, { target: agentOf(writer.agent), calls });
  let records: Addition<unknown>["records"] = [];
  let { tip } = session;
  if (beginning !== null) ({ tip, records } = writer.begin(beginning, makers));
  const addition = writer.add(tip, checked, makers);
  records = [...records, ...addition.records];
  const { file } = session;
  if (beginning === null) {
    await appendRecords({ sink, writer, file, records, after: session.mark, places });
  } else {
    await placeSession({ writer, session: beginning, file, records, places, key: null, sink });
  }
  session.beginning = null;
  session.tip = addition.tip;
  session.mark = sink.mark();
  calls.note(checked);
  return addition.id;
}

async function open(reader: AgentReader, found: FoundSession, parts: AdapterParts): Promise<OpenedSession> {
  return await reader.open(found, parts.places, parts.signal === undefined ? {} : { signal: parts.signal });
}

async function readHistory(session: Session, parts: AdapterParts): Promise<Message[]> {
  if (session.beginning !== null) return [];
  const found = await findAgain(session, parts);
  using opened = await open(session.reader, found, parts);
  return await Array.fromAsync(opened.history());
}

async function readMetadata(session: Session, parts: AdapterParts): Promise<SessionMetadata> {
  const { beginning, sessionId } = session;
  if (beginning !== null) {
    const { cwd, gitBranch, title } = beginning;
    const createdAt = new Date(beginning.createdMs).toISOString();
    const unknown = { slug: null, version: null };
    return { sessionId, cwd, gitBranch, title, ...unknown, createdAt, updatedAt: createdAt };
  }
  const found = await findAgain(session, parts);
  using opened = await open(session.reader, found, parts);
  const { cwd, gitBranch, title, agentVersions, createdAt, updatedAt } = opened.details;
  const slug = (await session.writer.slugOf?.(opened, session.file)) ?? null;
  const version = agentVersions.at(-1) ?? null;
  return { sessionId, cwd, gitBranch, title, slug, version, createdAt, updatedAt };
}
