/**
 * A client of the protocol in one page: the protocol's own `HttpAgent`. `verifyEvents` checks everything that was
 * streamed to it.
 */

import { setTimeout as pause } from "node:timers/promises";
import {
  AGUIError,
  type BaseEvent,
  buildResumeArray,
  HttpAgent,
  type Message,
  verifyEvents,
} from "@ag-ui/client";
import { EventSchemas } from "@ag-ui/core/schemas";
import { from, lastValueFrom, toArray } from "rxjs";
import type { ChatMessage } from "../../packages/core/src/wire/index.ts";

export class Page {
  readonly agent: HttpAgent;
  /** The events of each stream, as far as they arrived. */
  readonly streams: BaseEvent[][] = [];
  readonly #approve: boolean;

  constructor(
    url: string,
    threadId: string,
    { send = fetch, approve = true }: { send?: typeof fetch; approve?: boolean } = {},
  ) {
    this.#approve = approve;
    this.agent = new HttpAgent({
      url,
      threadId,
      fetch: async (to, init) => this.#recorded(await send(to, init)),
    });
  }

  #recorded(response: Response): Response {
    if (response.body === null || !response.ok) return response;
    const events: BaseEvent[] = [];
    this.streams.push(events);
    const { status, headers } = response;
    return new Response(ReadableStream.from(recorded(response.body, events)), { status, headers });
  }

  say(content: string, id: string = crypto.randomUUID()): void {
    this.agent.addMessage({ id, role: "user", content });
  }

  /** Sends the request again until the run ends, as a client does that lost its connection. */
  async ask(): Promise<void> {
    for (;;) {
      const interrupts = this.agent.pendingInterrupts;
      const answers = interrupts.map(
        ({ id }) => [id, { status: "resolved", payload: { approved: this.#approve } }] as const,
      );
      const resume =
        interrupts.length === 0 ? {} : { resume: buildResumeArray(interrupts, Object.fromEntries(answers)) };
      const before = this.streams.length;
      try {
        await this.agent.runAgent(resume);
      } catch (error) {
        if (error instanceof AGUIError) throw error;
      }
      const end = this.streams[before]?.at(-1) as { type?: string; outcome?: { type: string } } | undefined;
      if (end?.type === "RUN_ERROR") return;
      if (end?.type === "RUN_FINISHED" && end.outcome?.type !== "interrupt") return;
      if (end?.type !== "RUN_FINISHED") await pause(30);
    }
  }

  /** Throws if the events of a stream are not in the order of the protocol, or an event does not have its form. */
  async verify(): Promise<void> {
    for (const events of this.streams) {
      for (const event of events) EventSchemas.parse(event);
      await lastValueFrom(from(events).pipe(verifyEvents(false), toArray()));
    }
  }
}

/** Ends the stream at a broken connection. The protocol's client would throw an error that nobody can catch. */
async function* recorded(
  body: ReadableStream<Uint8Array>,
  events: BaseEvent[],
): AsyncGenerator<Uint8Array, void> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const bytes of body) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line.startsWith("data: ")) events.push(JSON.parse(line.slice(6)) as BaseEvent);
      }
      yield bytes;
    }
  } catch (error) {
    if (error instanceof SyntaxError) throw error;
  }
}

export interface ClientView {
  readonly user: string;
  readonly texts: readonly string[];
  readonly calls: readonly (readonly [name: string, args: unknown, result: unknown])[];
}

/** The messages of a client, without their ids. */
export function saidIn(messages: readonly Message[]): readonly ClientView[] {
  const said: { user: string; texts: string[]; calls: [string, unknown, unknown][] }[] = [];
  const calls = new Map<string, [string, unknown, unknown]>();
  for (const message of messages) {
    const last = said.at(-1);
    if (message.role === "user") said.push({ user: String(message.content), texts: [], calls: [] });
    if (message.role === "assistant") {
      if (message.content) last?.texts.push(message.content);
      for (const {
        id,
        function: { name, arguments: args },
      } of message.toolCalls ?? []) {
        const call: [string, unknown, unknown] = [name, JSON.parse(args), undefined];
        calls.set(id, call);
        last?.calls.push(call);
      }
    }
    const called = message.role === "tool" ? calls.get(message.toolCallId) : undefined;
    if (called !== undefined && message.role === "tool")
      called[2] = message.metadata?.status ?? message.content;
  }
  return said;
}

/** Outcomes of calls that have no output. */
const OUTCOMES: Readonly<Record<string, string>> = { "output-denied": "denied", "output-error": "failed" };

/** The same view of the messages that `chat()` folds from the log. */
export function saidInChat(messages: readonly ChatMessage[]): readonly ClientView[] {
  return messages.flatMap(({ role, parts }, place) => {
    if (role !== "user") return [];
    const answer = messages[place + 1]?.parts ?? [];
    return [
      {
        user: parts.map(({ text }) => text).join(""),
        texts: answer.flatMap(({ type, text }) => (type === "text" ? [String(text)] : [])),
        calls: answer.flatMap(({ type, input, output, state }) =>
          type === "tool-look" ? [["look", input, OUTCOMES[String(state)] ?? output] as const] : [],
        ),
      },
    ];
  });
}
