/** Conversations that this machine continues for pages: one per session, open while it is used. */

import { randomUUID } from "node:crypto";
import { openTalk, type Talk, type TalkFlags } from "@continuo/agents/conversations";
import { ContinuoError } from "@continuo/core/model";
import type { PromptPicture } from "@continuo/core/wire/machine";
import type { PlacesAt } from "@continuo/files";
import type { OpenedStore } from "@continuo/store";
import type { RunInput } from "@continuo/store/sessions";
import type { Changes } from "./changes.ts";
import { leaveToOthers } from "./leave-to-others.ts";
import { LIVE_LIMITS } from "./limits.ts";
import { createQuestions, type Questions } from "./questions.ts";

export interface OpenChat {
  readonly sessionId: string;
  readonly talk: Talk;
  readonly questions: Questions;
  /** True for a turn that began here. */
  isOwnRun(runId: string): boolean;
  /** Queues a turn, or begins it at once; resolves when its prompt is stored. Errors: those of storing it. */
  say(text: string, pictures?: readonly PromptPicture[]): Promise<string>;
  /** Errors: `busy` while a turn runs; those of `Talk.switchAgent`. */
  switchAgent(name: string): Promise<void>;
}

export interface OpenChats {
  /** The open conversation of one of Continuo's own sessions. */
  get(sessionId: string): OpenChat | undefined;
  sessionIds(): readonly string[];
  /** @param name as `findOrigin` takes it. Errors: `busy`; those of `openTalk`. */
  open(name: string, cwd: string | null): Promise<OpenChat>;
  /** A conversation in a new session. Errors: `busy`; those of `openTalk`. */
  begin(flags: NewChatFlags): Promise<OpenChat>;
  close(): Promise<void>;
}

export type NewChatFlags = Required<Pick<TalkFlags, "agent" | "cwd">> & Pick<TalkFlags, "permissions">;

export interface OpenChatsOptions {
  readonly places: PlacesAt;
  readonly store: () => Promise<OpenedStore>;
  readonly changes: Changes;
  /** `openTalk` by default. */
  readonly openTalk?: typeof openTalk;
}

interface ManagedChat extends OpenChat {
  readonly stop: AbortController;
  readonly turns: Set<Promise<unknown>>;
}

export function createOpenChats(options: OpenChatsOptions): OpenChats {
  const open = new Map<string, ManagedChat>();
  /** The keys are the requested names: two pages that ask for the same name receive the same conversation. */
  const opening = new Map<string, Promise<ManagedChat>>();
  /** Conversations that are closing: their agents still have the session open. */
  const ending = new Set<Promise<void>>();
  const end = async (chat: ManagedChat): Promise<void> => {
    if (open.get(chat.sessionId) !== chat) return;
    open.delete(chat.sessionId);
    chat.stop.abort(new ContinuoError("interrupted", "the server is closing"));
    const ended = Promise.allSettled(chat.turns).then(() => chat.talk.close());
    ending.add(ended);
    await ended.finally(() => ending.delete(ended));
  };
  const start = async (flags: TalkFlags): Promise<ManagedChat> => {
    if (open.size + opening.size >= LIVE_LIMITS.open) throw tooMany();
    await Promise.allSettled(ending);
    const chat = await openChat(flags, {
      openTalk,
      ...options,
      onIdle: (idle) => void end(idle).catch(() => undefined),
    });
    const other = open.get(chat.sessionId);
    if (other === undefined) {
      open.set(chat.sessionId, chat);
      return chat;
    }
    await chat.talk.close();
    return other;
  };
  return {
    get: (sessionId) => open.get(sessionId),
    sessionIds: () => [...open.keys()],
    async open(name, cwd) {
      const begun =
        opening.get(name) ??
        start({ resume: name, ...(cwd === null ? {} : { cwd }) }).finally(() => opening.delete(name));
      opening.set(name, begun);
      return await begun;
    },
    async begin(flags) {
      const name = `new ${randomUUID()}`;
      const begun = start({ ...flags, new: true }).finally(() => opening.delete(name));
      opening.set(name, begun);
      return await begun;
    },
    async close() {
      await Promise.allSettled(opening.values());
      await Promise.allSettled([...open.values()].map(end));
      await Promise.allSettled(ending);
    },
  };
}

interface ManagedChatOptions extends Required<OpenChatsOptions> {
  readonly onIdle: (chat: ManagedChat) => void;
}

async function openChat(
  flags: TalkFlags,
  { places, store, changes, onIdle, openTalk: begin }: ManagedChatOptions,
): Promise<ManagedChat> {
  const stop = new AbortController();
  const turns = new Set<Promise<unknown>>();
  let limitMs = 0;
  const questions = createQuestions({ timeLimitMs: () => limitMs, onChange: changes.tell });
  const talk = await begin({
    flags,
    places,
    // Pages name a session by its id, even a session without messages.
    ...(flags.new === true && { newSession: {} }),
    openStore: async () => withoutClosing(await store()),
    ask: (request, call) => {
      limitMs = talk.settings.permissions.timeoutMs;
      return questions.ask(request, call);
    },
    keepOpen: "session",
    note: () => undefined,
    onProgress: () => undefined,
  });
  const sessionId = talk.session?.sessionId ?? "";
  const runs = new Set<string>();
  const isOwnRun = (runId: string): boolean => runs.has(runId);
  const others = leaveToOthers({ store, sessionId, isOwnRun, signal: stop.signal, rest: () => talk.rest() });
  const idle = createIdleTimer(() => onIdle(chat), stop.signal);
  const begun = (turn: Promise<unknown>): void => {
    turns.add(turn);
    void idle
      .during(() => turn)
      .catch(() => undefined)
      .finally(() => {
        turns.delete(turn);
        others.turnEnded();
        changes.tell();
      });
  };
  const chat: ManagedChat = {
    sessionId,
    talk,
    questions,
    isOwnRun,
    stop,
    turns,
    say: (text, pictures = []) =>
      idle.during(async () => {
        const runId = randomUUID();
        runs.add(runId);
        const onNextRun = (next: string): void => void runs.add(next);
        const own = await store();
        const after = await own.latestSequence(sessionId);
        const said = talk.queue(inputOf(text, pictures), {
          runId,
          onNextRun,
          signal: stop.signal,
          onEvent: async () => undefined,
        });
        begun(said);
        await stored(own, { sessionId, runId, said, after });
        return runId;
      }),
    async switchAgent(agent) {
      if (agent === talk.agent) return;
      if (turns.size > 0) throw turnRuns();
      await idle.during(() => talk.switchAgent(agent));
      changes.tell();
    },
  };
  return chat;
}

interface IdleTimer {
  /** While this work runs, and for a while after it, the conversation is not idle. */
  during<T>(work: () => Promise<T>): Promise<T>;
}

function createIdleTimer(onIdle: () => void, closed: AbortSignal): IdleTimer {
  let works = 0;
  const later = (): NodeJS.Timeout => setTimeout(onIdle, LIVE_LIMITS.idleMs).unref();
  let timer = later();
  return {
    async during(work) {
      works++;
      clearTimeout(timer);
      try {
        return await work();
      } finally {
        works--;
        if (works === 0 && !closed.aborted) timer = later();
      }
    },
  };
}

function inputOf(text: string, pictures: readonly PromptPicture[]): RunInput {
  if (pictures.length === 0) return text;
  const images = pictures.map((picture) => ({ type: "image" as const, ...picture }));
  return text.trim() === "" ? images : [{ type: "text", text }, ...images];
}

/** All conversations share the store, so closing one of them must not close it. */
function withoutClosing(store: OpenedStore): OpenedStore {
  const close = async (): Promise<void> => undefined;
  return { ...store, close, [Symbol.asyncDispose]: close };
}

interface SentPrompt {
  readonly sessionId: string;
  readonly runId: string;
  readonly said: Promise<unknown>;
  /** The newest sequence of the log before the prompt. */
  readonly after: number;
}

/** Errors: that of the turn, if it ended before the prompt was stored. */
async function stored(store: OpenedStore, { sessionId, runId, said, after }: SentPrompt): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  const seen = async (): Promise<void> => {
    for await (const event of store.tail(sessionId, { after, types: ["run_created"], signal })) {
      if (event.runId === runId) return;
    }
  };
  try {
    await Promise.race([said, seen()]);
  } finally {
    over.abort();
  }
}

function turnRuns(): ContinuoError {
  return new ContinuoError("busy", "cannot change the agent while a turn runs", {
    hint: "Wait until the turn has ended, or cancel it.",
  });
}

function tooMany(): ContinuoError {
  const { open, idleMs } = LIVE_LIMITS;
  const message = `cannot open the conversation: ${open} others are open on this server, and that is the limit`;
  return new ContinuoError("busy", message, {
    hint: `Wait until one of them closes: that is ${idleMs / 1000} seconds after its last turn.`,
    details: { limit: open },
  });
}
