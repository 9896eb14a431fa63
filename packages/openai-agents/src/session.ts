/** The `Session` of the OpenAI Agents SDK: its history is computed from the events of a session in the store. */

import { createHash, randomUUID } from "node:crypto";
import {
  ContinuoError,
  canonicalJson,
  type NewEvent,
  type Store,
  type StoredEvent,
} from "@continuo/core/model";
import { adapterSession, FoldedLog } from "@continuo/store/adapters";
import type {
  AgentInputItem,
  SessionHistoryMutation,
  SessionHistoryRewriteArgs,
  SessionHistoryRewriteAwareSession,
  SessionHistoryTransactionArgs,
  SessionHistoryTransactionAwareSession,
} from "@openai/agents-core";
import { itemEvent } from "./item-events.ts";
import { fromPlainItem, toPlainItems } from "./plain-items.ts";

export interface ContinuoSessionOptions {
  /** The id of the session, which is created with its first item; a new id by default. */
  readonly sessionId?: string;
  /** The title of a new session. */
  readonly title?: string;
}

interface KeptItem {
  readonly plain: unknown;
  /** The message of the transcript that belongs to the item. */
  readonly messageId: string | undefined;
}

interface History {
  items: KeptItem[];
  /** The hash of each transaction, by the id of its operation. */
  readonly operations: Map<string, string>;
  runState: string | null;
}

/** An event that cuts the history: the first `keep` items stay, and all later items are removed. */
const CUT = "openai.history_cut";
const CLEARED = "openai.history_cleared";
const MUTATED = "openai.history_mutated";
const OPERATION = "openai.operation";
const RUN_STATE = "openai.run_state";

export class ContinuoSession
  implements SessionHistoryRewriteAwareSession, SessionHistoryTransactionAwareSession
{
  readonly #sessionId: string;
  readonly #history: FoldedLog<History>;

  /** The store belongs to the caller, who closes it. */
  constructor(store: Store, { sessionId = randomUUID(), title }: ContinuoSessionOptions = {}) {
    this.#sessionId = sessionId;
    const made = { agent: "openai-agents", ...(title === undefined ? {} : { title }) };
    this.#history = new FoldedLog(adapterSession(store, sessionId, made), {
      initial: (): History => ({ items: [], operations: new Map(), runState: null }),
      apply: applyEvent,
    });
  }

  getSessionId(): Promise<string> {
    return Promise.resolve(this.#sessionId);
  }

  /** Returns the newest items, in the order in which they came; without a limit, it returns all items. */
  async getItems(limit?: number): Promise<AgentInputItem[]> {
    if (limit !== undefined && limit <= 0) return [];
    return await this.#history.read(({ items }) => {
      return items.slice(limit === undefined ? 0 : -limit).map(({ plain }) => fromPlainItem(plain));
    });
  }

  async addItems(items: AgentInputItem[]): Promise<void> {
    const events = toPlainItems(items).map(itemEvent);
    await this.#history.change(() => ({ events, result: undefined }));
  }

  async popItem(): Promise<AgentInputItem | undefined> {
    return await this.#history.change(({ items }) => {
      const last = items.at(-1);
      if (last === undefined) return { events: [], result: undefined };
      return { events: cutTo(items, items.length - 1), result: fromPlainItem(last.plain) };
    });
  }

  async clearSession(): Promise<void> {
    await this.#history.change(({ items, operations, runState }) => {
      const isClear = items.length === 0 && operations.size === 0 && runState === null;
      const events = [...deletedMessages(items, 0), { type: CLEARED, data: {} }];
      return { events: isClear ? [] : events, result: undefined };
    });
  }

  async applyHistoryMutations({ mutations }: SessionHistoryRewriteArgs): Promise<void> {
    const plain = mutations.map(({ type, callId, replacement }) => {
      return { type, callId, replacement: toPlainItems([replacement])[0] };
    });
    const events = plain.length === 0 ? [] : [{ type: MUTATED, data: { mutations: plain } }];
    await this.#history.change(() => ({ events, result: undefined }));
  }

  /**
   * Errors: `conflict` if the operation was already used for another transaction, or the history does not end with
   * `expectedSuffix`; `invalid` for a value that is not a transaction.
   */
  async applyHistoryTransaction({ operationId, transaction }: SessionHistoryTransactionArgs): Promise<void> {
    if (typeof operationId !== "string" || operationId.trim() === "") {
      throw new ContinuoError("invalid", "a transaction of the history has no operationId");
    }
    const { expected, added } = partsOf(transaction);
    const hash = createHash("sha256")
      .update(canonicalJson([transaction.type, expected, added]))
      .digest("hex");
    const events = [...added.map(itemEvent), { type: OPERATION, data: { operationId, hash } }];
    await this.#history.change(({ items, operations }) => {
      const known = operations.get(operationId);
      if (known === hash) return { events: [], result: undefined };
      if (known !== undefined) {
        throw new ContinuoError(
          "conflict",
          `the operation ${operationId} was already used for another transaction`,
        );
      }
      const kept = items.length - expected.length;
      const suffix = items.slice(Math.max(0, kept)).map(({ plain }) => plain);
      if (expected.length > 0 && (kept < 0 || canonicalJson(suffix) !== canonicalJson(expected))) {
        throw new ContinuoError("conflict", "the history does not end with the expected items");
      }
      const cut = expected.length === 0 ? [] : cutTo(items, kept);
      return { events: [...cut, ...events], result: undefined };
    });
  }

  /** Stores a waiting run in the form of `result.state.toString()`; `null` removes it. */
  async saveRunState(state: string | null): Promise<void> {
    await this.#history.change(() => ({ events: [{ type: RUN_STATE, data: { state } }], result: undefined }));
  }

  /** Returns the waiting run for `RunState.fromString`, in any process; `null` if no run waits. */
  async loadRunState(): Promise<string | null> {
    return await this.#history.read(({ runState }) => runState);
  }
}

interface TransactionParts {
  readonly expected: readonly unknown[];
  readonly added: readonly unknown[];
}

function partsOf(transaction: SessionHistoryTransactionArgs["transaction"]): TransactionParts {
  if (transaction?.type === "append_items" && Array.isArray(transaction.items)) {
    return { expected: [], added: toPlainItems(transaction.items) };
  }
  const isReplacement =
    transaction?.type === "replace_suffix" &&
    Array.isArray(transaction.expectedSuffix) &&
    Array.isArray(transaction.replacement);
  if (!isReplacement) throw new ContinuoError("invalid", "a transaction of the history has an unknown form");
  return { expected: toPlainItems(transaction.expectedSuffix), added: toPlainItems(transaction.replacement) };
}

function cutTo(items: readonly KeptItem[], keep: number): readonly NewEvent[] {
  return [...deletedMessages(items, keep), { type: CUT, data: { keep } }];
}

/** A message that was removed from the history is no longer shown in the transcript. */
function deletedMessages(items: readonly KeptItem[], from: number): readonly NewEvent[] {
  return items.slice(from).flatMap(({ messageId }) => {
    return messageId === undefined ? [] : [{ type: "message_deleted", data: { messageId } }];
  });
}

function applyEvent(history: History, { type, data }: StoredEvent): void {
  // A redacted payload is skipped.
  if (data === null) return;
  const record = data as Readonly<Record<string, unknown>>;
  if (type === CUT) history.items.splice(Number(record.keep));
  else if (type === CLEARED) clear(history);
  else if (type === OPERATION) history.operations.set(String(record.operationId), String(record.hash));
  else if (type === RUN_STATE) history.runState = typeof record.state === "string" ? record.state : null;
  else if (type === MUTATED) {
    for (const mutation of record.mutations as readonly SessionHistoryMutation[]) mutate(history, mutation);
  } else if ("item" in record) {
    const messageId = typeof record.messageId === "string" ? record.messageId : undefined;
    history.items.push({ plain: record.item, messageId });
  }
}

function clear(history: History): void {
  history.items = [];
  history.operations.clear();
  history.runState = null;
}

/** Replaces the first call that has this id, and removes all later calls that have the same id. */
function mutate(history: History, { callId, replacement }: SessionHistoryMutation): void {
  let isReplaced = false;
  history.items = history.items.flatMap((kept) => {
    const { type, callId: of } = kept.plain as Readonly<Record<string, unknown>>;
    if (type !== "function_call" || of !== callId) return [kept];
    if (isReplaced) return [];
    isReplaced = true;
    return [{ plain: replacement, messageId: kept.messageId }];
  });
}
