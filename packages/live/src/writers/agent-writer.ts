/** A note writer that asks an agent: a driver of the session manager, or a model through `ModelAgent`. */

import {
  type Agent,
  type AgentRequest,
  type Block,
  ContinuoError,
  isContinuoError,
  present,
  textOf,
  type Usage,
} from "@continuo/core/model";
import {
  type EvidenceItem,
  LIMITS,
  type NotePicture,
  type NoteRequest,
  type NoteWriter,
  type WriteOptions,
} from "../kit/index.ts";
import { pagePrompt, parsePage } from "./page-prompt.ts";
import { askPrompt, notesPrompt, parseAnswer, parseDrafts } from "./writer-prompt.ts";

export interface AgentWriterOptions {
  readonly agent: Agent;
  /** The name by which clients choose the writer; the agent's name by default. */
  readonly name?: string;
  /** US dollars for a million tokens, for agents that do not report their costs. */
  readonly price?: { readonly inputUsd: number; readonly outputUsd: number };
}

interface WriterAnswer {
  readonly text: string;
  readonly usage: Usage;
  readonly costUsd: number;
}

/** The agent answers in JSON; an answer that is not readable is `agent_failed`, and the batch is tried again. */
export function agentWriter({ agent, name = agent.name, price }: AgentWriterOptions): NoteWriter {
  // A model that refuses pictures is not sent any again.
  let sight: "unknown" | "sees" | "blind" = "unknown";
  const ask = async (
    prompt: string,
    options: WriteOptions,
    pictures: readonly NotePicture[] = [],
  ): Promise<WriterAnswer> => {
    const { text, usage, costUsd } = await answerOf(
      agent,
      [textBlock(prompt), ...pictures.map(imageBlock)],
      options,
    );
    const { inputUsd, outputUsd } = price ?? { inputUsd: 0, outputUsd: 0 };
    const priced = (usage.inputTokens * inputUsd + usage.outputTokens * outputUsd) / 1e6;
    return { text, usage, costUsd: costUsd ?? priced };
  };
  const askWith = async (
    prompt: string,
    pictures: readonly NotePicture[],
    { options, blind }: { readonly options: WriteOptions; readonly blind: () => string },
  ): Promise<WriterAnswer> => {
    if (pictures.length === 0) return ask(prompt, options);
    try {
      const answer = await ask(prompt, options, pictures);
      sight = "sees";
      return answer;
    } catch (error) {
      if (sight === "sees" || options.signal.aborted || !isRefusal(error)) throw error;
    }
    const answer = await ask(blind(), options);
    sight = "blind";
    return answer;
  };
  return {
    name,
    write: async (request, options) => {
      const context = await around(request, middlesOf(request));
      const pictures = sight === "blind" ? [] : ((await request.pictures?.()) ?? []);
      const prompt = notesPrompt(request, context, pictures);
      const first = await askWith(prompt.text, pictures, {
        options,
        blind: () => notesPrompt(request, context).text,
      });
      const read = parseDrafts(first.text, request, prompt.named);
      const spent = { model: name, modelCalls: 1, usage: first.usage, costUsd: first.costUsd };
      if (read.lookAt.length === 0) return { ...withoutLooks(read), ...spent };
      const shown = sight === "blind" ? [] : pictures;
      const wider = notesPrompt(
        request,
        unique([...context, ...(await around(request, read.lookAt))]),
        shown,
      );
      const second = await ask(wider.text, options, shown);
      return {
        ...withoutLooks(parseDrafts(second.text, request, wider.named)),
        model: name,
        modelCalls: 2,
        usage: sumOf(first.usage, second.usage),
        costUsd: first.costUsd + second.costUsd,
      };
    },
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

function textBlock(text: string): Block {
  return { type: "text", text };
}

function imageBlock({ mediaType: mimeType, data }: NotePicture): Block {
  return { type: "image", mimeType, data: Buffer.from(data).toString("base64") };
}

/** Statuses of an endpoint that say nothing about the request: the key, the load. */
const OTHER_REASONS: readonly unknown[] = [401, 403, 408, 429];

/** True if the request itself was refused, as by a model that knows only text. */
function isRefusal(error: unknown): boolean {
  if (!isContinuoError(error)) return false;
  const { status } = error.details;
  if (error.code === "unsupported") return true;
  return typeof status === "number" && status >= 400 && status <= 500 && !OTHER_REASONS.includes(status);
}

/** One turn without the transcript of the session, because the prompt has everything. */
async function answerOf(
  agent: Agent,
  input: readonly Block[],
  { signal, turn }: WriteOptions,
): Promise<{ readonly text: string; readonly usage: Usage; readonly costUsd?: number }> {
  const parts = new Map<string, string>();
  const usages: Usage[] = [];
  const { transcript: _all, nativeRef: _ref, ...bare } = turn;
  const { transcript: _context, ...context } = turn.session.context;
  const request: AgentRequest = {
    ...bare,
    session: { ...turn.session, context },
    input,
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
        throw new ContinuoError(
          "agent_failed",
          "the agent asks for a permission, and nobody is there to answer",
          {
            hint: "Set the policy `safe` for an agent that writes notes.",
          },
        );
      }
    },
  });
  const usage = result.usage ?? usages.reduce(sumOf, { inputTokens: 0, outputTokens: 0 });
  const costUsd = result.costUsd ?? usage.costUsd;
  // An agent may write other messages first; its last message is the answer.
  return present({ text: [...parts.values()].at(-1) ?? "", usage, costUsd });
}

function withoutLooks<Read extends { readonly lookAt: unknown }>({
  lookAt: _,
  ...read
}: Read): Omit<Read, "lookAt"> {
  return read;
}

/** The middle of the batch: one time is enough, because the writer is given the batch itself. */
function middlesOf({ evidence }: NoteRequest): readonly number[] {
  const times = evidence.map(({ startMs }) => startMs).toSorted((a, b) => a - b);
  const middle = times[Math.floor(times.length / 2)];
  return middle === undefined ? [] : [middle];
}

async function around(request: NoteRequest, timesMs: readonly number[]): Promise<readonly EvidenceItem[]> {
  const given = new Set(request.evidence.map(({ sequence }) => sequence));
  const found: EvidenceItem[] = [];
  for (const atMs of timesMs) {
    for await (const item of request.context(atMs)) if (!given.has(item.sequence)) found.push(item);
  }
  return unique(found);
}

function unique(items: readonly EvidenceItem[]): readonly EvidenceItem[] {
  return [...new Map(items.map((item) => [item.sequence, item])).values()];
}

function sumOf(a: Usage, b: Usage): Usage {
  return { inputTokens: a.inputTokens + b.inputTokens, outputTokens: a.outputTokens + b.outputTokens };
}
