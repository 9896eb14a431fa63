/** A note writer that asks an agent: a driver of the session manager, or a model through `ModelAgent`. */

import {
  type Agent,
  type AgentRequest,
  assertKnownOptions,
  type Block,
  ContinuoError,
  isContinuoError,
  type NativeRef,
  present,
  textOf,
  type Usage,
} from "@continuo/core/model";
import {
  type ContextWindowOptions,
  type EvidenceItem,
  LIMITS,
  type NotePicture,
  type NoteRequest,
  type NoteWriter,
  type NoteWriterResult,
  type WriteOptions,
} from "../kit/index.ts";
import { AgentConversations, type KeptAgent, newIn } from "./agent-conversations.ts";
import { pagePrompt, parsePage } from "./page-prompt.ts";
import {
  askPrompt,
  hasNothingNew,
  notesPrompt,
  type ParsedDrafts,
  parseAnswer,
  parseDrafts,
} from "./writer-prompt.ts";

export interface AgentWriterOptions {
  readonly agent: Agent;
  /** Writes the notes in place of `agent`, in one conversation for each session. */
  readonly kept?: KeptAgent;
  /** The name by which clients choose the writer; the agent's name by default. */
  readonly name?: string;
  /** US dollars for a million tokens, for agents that do not report their costs. */
  readonly price?: { readonly inputUsd: number; readonly outputUsd: number };
}

interface WriterAnswer {
  readonly text: string;
  readonly usage: Usage;
  readonly costUsd: number;
  readonly ref?: NativeRef;
}

/** The agent answers in JSON; an answer that is not readable is `agent_failed`, and the batch is tried again. */
export function agentWriter(options: AgentWriterOptions): NoteWriter {
  assertKnownOptions("agentWriter", options, { agent: true, kept: true, name: true, price: true });
  const { agent, kept, name = agent.name, price } = options;
  const conversations = new AgentConversations();
  // If a model has refused pictures, it receives none from then on.
  let sight: "unknown" | "sees" | "blind" = "unknown";
  const ask = async (
    prompt: string,
    options: WriteOptions,
    pictures: readonly NotePicture[] = [],
    by: TurnTarget = { agent },
  ): Promise<WriterAnswer> => {
    const input = [textBlock(prompt), ...pictures.map(imageBlock)];
    const { text, usage, costUsd, ref } = await answerOf(by, input, options);
    const { inputUsd, outputUsd } = price ?? { inputUsd: 0, outputUsd: 0 };
    const priced = (usage.inputTokens * inputUsd + usage.outputTokens * outputUsd) / 1e6;
    return { text, usage, costUsd: costUsd ?? priced, ...present({ ref }) };
  };
  const askWith = async (
    prompt: string,
    pictures: readonly NotePicture[],
    {
      options,
      blind,
      by,
    }: { readonly options: WriteOptions; readonly blind: () => string; readonly by: TurnTarget },
  ): Promise<WriterAnswer> => {
    if (pictures.length === 0) return ask(prompt, options, [], by);
    try {
      const answer = await ask(prompt, options, pictures, by);
      sight = "sees";
      return answer;
    } catch (error) {
      if (sight === "sees" || options.signal.aborted || !isRefusal(error)) throw error;
    }
    const answer = await ask(blind(), options, [], by);
    sight = "blind";
    return answer;
  };
  /** Sends one request, in the session's kept conversation if there is one. */
  const askForNotes = async (
    request: NoteRequest,
    context: readonly EvidenceItem[],
    { options, shown }: { readonly options: WriteOptions; readonly shown: readonly NotePicture[] },
  ): Promise<{ readonly read: ParsedDrafts; readonly spent: WriterAnswer }> => {
    const { sessionId } = request;
    const isKept = kept !== undefined && options.turn.session.sessionId === sessionId;
    const known = isKept ? conversations.known(sessionId) : undefined;
    const asked = known === undefined ? { request, context } : newIn(request, context, known);
    const promptOf = (pictures: readonly NotePicture[]): ReturnType<typeof notesPrompt> =>
      notesPrompt(asked.request, asked.context, { pictures, isMore: known !== undefined });
    const prompt = promptOf(shown);
    const by = isKept ? { agent: kept, ...present({ ref: known?.ref }) } : { agent };
    try {
      const spent = await askWith(prompt.text, shown, { options, by, blind: () => promptOf([]).text });
      if (isKept && spent.ref !== undefined)
        conversations.add({ ref: spent.ref, request, context, open: prompt.open, chars: prompt.text.length });
      // This uses the full `request`: the agent may also change a note that it received in an earlier message.
      return { read: parseDrafts(spent.text, request, prompt.named), spent };
    } catch (error) {
      // The next conversation begins with a full request.
      conversations.forget(sessionId);
      const isLost = known !== undefined && isContinuoError(error, "native_unavailable");
      if (!isLost) throw error;
      return askForNotes(request, context, { options, shown });
    }
  };
  return {
    name,
    write: async (request, options) => {
      const context = await around(request, beginOf(request), {
        primaryWindowMs: LIMITS.sentenceWindowMs,
      });
      if (hasNothingNew(request, context)) return { drafts: [] };
      const pictures = sight === "blind" ? [] : ((await request.pictures?.()) ?? []);
      return withLooks(name, { request, context }, (shown) => {
        return askForNotes(request, shown, { options, shown: sight === "blind" ? [] : pictures });
      });
    },
    end: async (sessionId) => {
      conversations.forget(sessionId);
      await kept?.end(sessionId);
    },
    ...pagesAndAnswers(name, ask),
  };
}

type AskForNotes = (
  context: readonly EvidenceItem[],
) => Promise<{ readonly read: ParsedDrafts; readonly spent: WriterAnswer }>;

/** Asks again with more evidence if the agent wants to look at other times. */
async function withLooks(
  name: string,
  { request, context }: { readonly request: NoteRequest; readonly context: readonly EvidenceItem[] },
  askForNotes: AskForNotes,
): Promise<NoteWriterResult> {
  const { read, spent } = await askForNotes(context);
  const first = { model: name, modelCalls: 1, usage: spent.usage, costUsd: spent.costUsd };
  if (read.lookAt.length === 0) return { ...withoutLooks(read), ...first };
  const again = await askForNotes(unique([...context, ...(await around(request, read.lookAt))]));
  return {
    ...withoutLooks(again.read),
    model: name,
    modelCalls: 2,
    usage: sumOf(spent.usage, again.spent.usage),
    costUsd: spent.costUsd + again.spent.costUsd,
  };
}

type Ask = (prompt: string, options: WriteOptions) => Promise<WriterAnswer>;

/** Pages and answers have separate conversations, because they are requested while notes are written. */
function pagesAndAnswers(name: string, ask: Ask): Pick<NoteWriter, "writePage" | "answer"> {
  return {
    writePage: async (request, options) => {
      const prompt = pagePrompt(request);
      const { text, usage, costUsd } = await ask(prompt.text, options);
      return { ...parsePage(text, request, prompt.named), model: name, usage, costUsd };
    },
    answer: async (request, options) => {
      const prompt = askPrompt(request);
      const { text, usage, costUsd } = await ask(prompt.text, options);
      return { ...parseAnswer(text, request, prompt.named), model: name, usage, costUsd };
    },
  };
}

/** The agent that is asked, and the conversation in which it continues. */
interface TurnTarget {
  readonly agent: Agent;
  readonly ref?: NativeRef;
}

function textBlock(text: string): Block {
  return { type: "text", text };
}

function imageBlock({ mediaType: mimeType, data }: NotePicture): Block {
  return { type: "image", mimeType, data: Buffer.from(data).toString("base64") };
}

/** HTTP statuses that do not concern the request itself, but the key or the load. */
const OTHER_REASONS: readonly unknown[] = [401, 403, 408, 429];

/** True if the request itself was refused, for example by a model or an agent that accepts only text. */
function isRefusal(error: unknown): boolean {
  if (!isContinuoError(error)) return false;
  const { status } = error.details;
  if (error.code === "unsupported") return true;
  return typeof status === "number" && status >= 400 && status <= 500 && !OTHER_REASONS.includes(status);
}

/** One turn without the transcript of the session, because the prompt has everything. */
async function answerOf(
  { agent, ref }: TurnTarget,
  input: readonly Block[],
  { signal, turn }: WriteOptions,
): Promise<Omit<WriterAnswer, "costUsd"> & { readonly costUsd?: number }> {
  const parts = new Map<string, string>();
  const usages: Usage[] = [];
  const { transcript: _all, nativeRef: _ref, ...bare } = turn;
  const { transcript: _context, ...context } = turn.session.context;
  const request: AgentRequest = {
    ...bare,
    session: { ...turn.session, context },
    input,
    ...present({ nativeRef: ref }),
  };
  const result = await agent.execute(request, {
    signal,
    onEvent: async (event) => {
      if (event.type === "text") {
        const id = event.messageId ?? "";
        parts.set(id, `${parts.get(id) ?? ""}${event.delta}`.slice(0, LIMITS.answerChars));
      } else if (event.type === "message") parts.set(event.messageId ?? "", textOf(event.content));
      else if (event.type === "usage" && event.usage !== undefined) usages.push(event.usage);
      else if (event.type === "permission_request") {
        throw new ContinuoError("agent_failed", "the agent asks for a permission, and nobody can answer it", {
          hint: "Set the policy `safe` for an agent that writes notes.",
        });
      }
    },
  });
  const usage = result.usage ?? usages.reduce(sumOf, { inputTokens: 0, outputTokens: 0 });
  const costUsd = result.costUsd ?? usage.costUsd;
  // An agent may write other messages first; only its last message is the answer.
  return present({ text: [...parts.values()].at(-1) ?? "", usage, costUsd, ref: result.nativeRef });
}

function withoutLooks<Read extends { readonly lookAt: unknown }>({
  lookAt: _,
  ...read
}: Read): Omit<Read, "lookAt"> {
  return read;
}

/**
 * The time at which the batch begins: the writer needs the words before it, because a batch can begin within a
 * sentence.
 */
function beginOf({ evidence }: NoteRequest): readonly number[] {
  const [first] = evidence.map(({ startMs }) => startMs).toSorted((a, b) => a - b);
  return first === undefined ? [] : [first];
}

async function around(
  request: NoteRequest,
  timesMs: readonly number[],
  window?: ContextWindowOptions,
): Promise<readonly EvidenceItem[]> {
  const given = new Set(request.evidence.map(({ sequence }) => sequence));
  const found: EvidenceItem[] = [];
  for (const atMs of timesMs) {
    for await (const item of request.context(atMs, window)) if (!given.has(item.sequence)) found.push(item);
  }
  return unique(found);
}

function unique(items: readonly EvidenceItem[]): readonly EvidenceItem[] {
  return [...new Map(items.map((item) => [item.sequence, item])).values()];
}

function sumOf(a: Usage, b: Usage): Usage {
  return { inputTokens: a.inputTokens + b.inputTokens, outputTokens: a.outputTokens + b.outputTokens };
}
