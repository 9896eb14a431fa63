/**
 * An agent's own session taken up as a session of Continuo's: its history is kept as events, so that any agent can
 * be told it, and its native reference says that this agent knows all of that already. The native session is only
 * read.
 */

import { type FoundSession, openNativeSession } from "../../agents/index.ts";
import type { Block, Message, NativeRef, NewEvent, Session, Store } from "../../model/index.ts";
import { placesOf } from "../places/index.ts";
import type { Shell } from "../terminal/index.ts";
import { TALK_LIMITS } from "./limits.ts";

export interface TakenUp {
  readonly session: Session;
  readonly messages: number;
  /** Older messages, which stay in the native session alone. */
  readonly leftOut: number;
}

export interface TakeUp {
  readonly store: Store;
  readonly shell: Shell;
  /** Where the session tells no folder. */
  readonly cwd: string;
}

/** Errors: those of opening the session, and the store's. */
export async function takeUp(found: FoundSession, { store, shell, cwd }: TakeUp): Promise<TakenUp> {
  using opened = await openNativeSession(found, { places: placesOf(shell) });
  const { title, agent, sessionId, location } = opened.details;
  const kept = await newest(opened.history());
  const folder = opened.details.cwd ?? cwd;
  return await keep(kept, {
    store,
    agent,
    title,
    cwd: folder,
    ref: { agent, sessionId, location, cwd: folder },
    from: { agent, sessionId, location },
  });
}

export interface Keeping {
  readonly store: Store;
  readonly agent: string | null;
  readonly title: string | null;
  readonly cwd: string;
  /** The native session that knows all of it. */
  readonly ref: NativeRef | null;
  readonly parentId?: string;
  /** Where it was taken from, for the session's metadata. */
  readonly from: Readonly<Record<string, unknown>>;
}

export interface Kept {
  readonly messages: readonly Message[];
  readonly leftOut: number;
}

/** A new session of Continuo's that holds these messages. */
export async function keep({ messages, leftOut }: Kept, keeping: Keeping): Promise<TakenUp> {
  const { store, agent, title, cwd, ref, parentId, from } = keeping;
  const { sessionId } = await store.createSession({
    cwd,
    ...(agent === null ? {} : { agent }),
    ...(title === null ? {} : { title }),
    ...(parentId === undefined ? {} : { parentId }),
    metadata: { takenFrom: { ...from, messages: messages.length, leftOut } },
  });
  const events = messages.flatMap(toEvents);
  for (let at = 0; at < events.length; at += TALK_LIMITS.appendEvents) {
    await store.append(sessionId, events.slice(at, at + TALK_LIMITS.appendEvents));
  }
  const baseSequence = await store.latestSequence(sessionId);
  const session = await store.updateSession(sessionId, {
    metadata: ref === null ? {} : referenceTo(ref, baseSequence),
  });
  return { session, messages: messages.length, leftOut };
}

function referenceTo(ref: NativeRef, baseSequence: number): Readonly<Record<string, unknown>> {
  const { agent, sessionId, location, cwd } = ref;
  const reference = { sessionId, model: null, location, cwd, baseSequence, verifiedAt: null, state: "live" };
  return { providerSessionId: sessionId, providerSessions: { [agent]: reference } };
}

/** The newest messages within the limits; a result whose call is left out goes with it. */
export async function newest(history: AsyncIterable<Message>): Promise<Kept> {
  const messages: Message[] = [];
  const sizes: number[] = [];
  let chars = 0;
  let leftOut = 0;
  for await (const message of history) {
    // What an agent put there for its own model means nothing to another one.
    if (message.origin === "injected" || message.origin === "notification") continue;
    messages.push(message);
    const size = JSON.stringify(message.content).length;
    sizes.push(size);
    chars += size;
    while (
      messages.length > TALK_LIMITS.takenMessages ||
      (chars > TALK_LIMITS.takenChars && messages.length > 1)
    ) {
      messages.shift();
      chars -= sizes.shift() ?? 0;
      leftOut += 1;
    }
  }
  if (leftOut === 0) return { messages, leftOut };
  const start = messages.findIndex(({ role }) => role === "user");
  const cut = start === -1 ? 0 : start;
  return { messages: messages.slice(cut), leftOut: leftOut + cut };
}

/** As if the agent had said it in a run. */
export function toEvents(message: Message): NewEvent[] {
  const { id: messageId, role, model, usage, stopReason, timestamp } = message;
  const time = timestamp === undefined ? {} : { occurredAt: timestamp };
  if (role === "tool") return message.content.flatMap((block) => resultEvent(block, message, time));
  if (role !== "assistant") {
    const actor = { kind: message.origin === "person" ? ("person" as const) : ("system" as const) };
    return [{ type: "message_sent", data: { content: message.content, role, messageId }, actor, ...time }];
  }
  const said = message.content.filter(({ type }) => type !== "tool_call");
  const actor = { kind: "agent" as const };
  const data = {
    content: said,
    messageId,
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage }),
    ...(stopReason === undefined ? {} : { stopReason }),
  };
  const calls = message.content.flatMap((block): NewEvent[] =>
    block.type === "tool_call"
      ? [
          {
            type: "tool_call_started",
            data: {
              toolCallId: block.id,
              toolName: block.name,
              toolInput: block.rawArgs ?? block.args,
              messageId,
            },
            actor,
            ...time,
          },
        ]
      : [],
  );
  return [...(said.length > 0 ? [{ type: "message_received", data, actor, ...time }] : []), ...calls];
}

function resultEvent(
  block: Block,
  { toolName }: Message,
  time: { readonly occurredAt?: string },
): NewEvent[] {
  if (block.type !== "tool_result") return [];
  const { toolCallId, content, isError, status } = block;
  const data = { toolCallId, ...(toolName === undefined ? {} : { toolName }) };
  const actor = { kind: "agent" as const };
  return [
    isError
      ? {
          type: "tool_call_failed",
          data: { ...data, error: content, status: status ?? "error" },
          actor,
          ...time,
        }
      : { type: "tool_call_completed", data: { ...data, toolOutput: content }, actor, ...time },
  ];
}
