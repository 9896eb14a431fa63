/** Continuing sessions from pages: prompts, questions, answers and cancellation. */

import { isOwn, nameOf } from "@continuo/agents/catalog";
import { ContinuoError } from "@continuo/core/model";
import type { ChatQuestion, MachineChat } from "@continuo/core/wire/machine";
import type { OpenedStore } from "@continuo/store";
import { cancelRun } from "@continuo/store/sessions";
import { type Changes, createChanges } from "./changes.ts";
import { chatEvents } from "./events.ts";
import { createNewChats } from "./new-chat.ts";
import { createOpenChats, type OpenChat } from "./open-chats.ts";
import type { ChatOptions, ChatParts } from "./parts.ts";
import { notOpen } from "./questions.ts";
import { readOnlyOf } from "./state.ts";
import { answerElsewhere } from "./stored-questions.ts";

export interface Chat extends MachineChat {
  /** Sessions whose conversations are open. */
  openSessions(): readonly string[];
  /** The waiting questions, by the id of their session. */
  openQuestions(): ReadonlyMap<string, readonly ChatQuestion[]>;
  /** Changes of conversations that are not stored, such as a new question. */
  readonly changes: Changes;
  /** Cancels the running turns, and closes the store. */
  close(): Promise<void>;
}

export function createChat(options: ChatOptions): Chat {
  const parts = createParts(options);
  const { chats, changes, moved, store, named } = parts;
  return {
    ...createNewChats(parts),
    events: (key, signal) => chatEvents(parts, key, signal),
    async prompt(key, { text, agent, pictures }, signal) {
      const chat = await opened(parts, key, signal);
      if (agent !== undefined) await chat.switchAgent(agent);
      const runId = await chat.say(text, pictures);
      changes.tell();
      return { key: moved.get(key) ?? key, runId };
    },
    async cancel(key, { runId }, signal) {
      const { row } = await named(key, signal);
      const own = await store();
      const run = isOwn(row) ? await own.getRun(runId) : null;
      if (run?.sessionId !== row.sessionId) throw noSuchRun(runId);
      await cancelRun(own, runId, { reason: "cancelled in the viewer", signal });
    },
    async answer(key, request, { signal, lasting }) {
      const { row } = await named(key, signal);
      const chat = isOwn(row) ? chats.get(row.sessionId) : undefined;
      const isHere = chat?.questions.knows(request.approvalId) === true;
      if (isHere) return chat.questions.answer(request, lasting);
      const { sessionId } = row;
      const own = await store();
      const running = isOwn(row) ? await own.listRuns({ sessionId, status: "running", limit: 1 }) : null;
      const runId = running?.items[0]?.runId;
      if (runId === undefined) throw notOpen(request.approvalId, chat?.questions.answered ?? []);
      await answerElsewhere({ store: own, sessionId, runId }, { given: request, lasting });
    },
    openSessions: chats.sessionIds,
    openQuestions: () => new Map(chats.sessionIds().map((id) => [id, chats.get(id)?.questions.open ?? []])),
    changes,
    async close() {
      await chats.close();
      await parts.closeStore();
    },
  };
}

function createParts(options: ChatOptions): ChatParts & { closeStore(): Promise<void> } {
  const changes = createChanges();
  let opened: Promise<OpenedStore> | null = null;
  const store = (): Promise<OpenedStore> => {
    opened ??= options.openStore();
    opened.catch(() => {
      opened = null;
    });
    return opened;
  };
  const moved = new Map<string, string>();
  return {
    options,
    changes,
    moved,
    store,
    chats: createOpenChats({ places: options.places, store, changes }),
    named: async (key, signal) => await options.named(moved.get(key) ?? key, signal),
    closeStore: async () => await (await opened?.catch(() => null))?.close(),
  };
}

/**
 * Returns the conversation, and opens it if necessary. An agent's own session is taken over by Continuo first. Errors:
 * `session_live`, `unsupported`, `busy`.
 */
async function opened(
  { options, chats, changes, moved, named: nameIt }: ChatParts,
  key: string,
  signal: AbortSignal,
): Promise<OpenChat> {
  const named = await nameIt(key, signal);
  const { row } = named;
  const open = isOwn(row) ? chats.get(row.sessionId) : undefined;
  if (open !== undefined) return open;
  const readOnly = readOnlyOf(named);
  if (readOnly !== null) throw readOnly;
  const chat = await chats.open(nameOf(row), row.cwd);
  if (isOwn(row)) return chat;
  moved.set(named.key, await options.keyOfOwn(chat.sessionId));
  changes.tell();
  return chat;
}

function noSuchRun(runId: string): ContinuoError {
  return new ContinuoError("not_found", `the session has no run ${JSON.stringify(runId.slice(0, 100))}`);
}
