/**
 * The long-term memory that threads share: items by namespace and key, folded from the log of one session. All of them
 * are in memory, as in LangGraph's own `InMemoryStore`; a search looks at each.
 */

import { ContinuoError, type NewEvent, type Store, type StoredEvent } from "@continuo/core/model";
import { adapterSession, FoldedLog } from "@continuo/store/adapters";
import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from "@langchain/langgraph-checkpoint";
import { LIMITS } from "./limits.ts";
import { isMatch, isNamespaceMatch } from "./matches.ts";

export interface ContinuoMemoryOptions {
  /** The session that stores the items; `langgraph-memory` by default. */
  readonly sessionId?: string;
}

const ITEM = "langgraph.item";

interface ItemRecord {
  readonly namespace: readonly string[];
  readonly key: string;
  /** `null`: it was deleted. */
  readonly value: Readonly<Record<string, unknown>> | null;
}

/** Items in the order in which they were added. */
type Items = Map<string, Item>;

export class ContinuoMemory extends BaseStore {
  readonly #items: FoldedLog<Items>;

  /** The store belongs to the caller, who closes it. */
  constructor(store: Store, { sessionId = "langgraph-memory" }: ContinuoMemoryOptions = {}) {
    super();
    const session = adapterSession(store, sessionId, {
      agent: "langgraph",
      title: "Memory of LangGraph",
      metadata: { langgraph: "memory" },
    });
    this.#items = new FoldedLog(session, { initial: () => new Map(), apply: applyItem });
  }

  /**
   * The reads of a batch see the state before the batch; its writes are stored together or not at all. If several
   * writes change one item, the last one counts. Errors: `unsupported` for a search by meaning.
   */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    if (operations.some((one) => "namespacePrefix" in one && one.query !== undefined)) {
      throw new ContinuoError("unsupported", "this memory has no search by meaning", {
        hint: "Leave `query` out and use `filter`, or give the graph a store with an index.",
      });
    }
    const puts = new Map<string, PutOperation>();
    for (const one of operations) if (isPut(one)) puts.set(keyOf(one), one);
    const events = [...puts.values()].map(({ namespace, key, value }): NewEvent => {
      const record: ItemRecord = { namespace, key, value };
      return { type: ITEM, data: record };
    });
    const results = await this.#items.change((items) => ({
      events,
      result: operations.map((one) => resultOf(items, one)),
    }));
    return results as OperationResults<Op>;
  }
}

function isPut(operation: Operation): operation is PutOperation {
  return "value" in operation;
}

function resultOf(items: Items, operation: Operation): unknown {
  if ("namespacePrefix" in operation) return search(items, operation);
  if (isPut(operation)) return undefined;
  if ("key" in operation) return get(items, operation);
  return namespacesOf(items, operation);
}

function keyOf({ namespace, key }: { readonly namespace: readonly string[]; readonly key: string }): string {
  return JSON.stringify([namespace, key]);
}

function applyItem(items: Items, { type, data, recordedAt }: StoredEvent): void {
  // A redacted payload has no item.
  if (type !== ITEM || data === null) return;
  const { namespace, key, value } = data as ItemRecord;
  const known = items.get(keyOf({ namespace, key }));
  if (value === null) {
    items.delete(keyOf({ namespace, key }));
    return;
  }
  const updatedAt = new Date(recordedAt);
  const createdAt = known?.createdAt ?? updatedAt;
  items.set(keyOf({ namespace, key }), { namespace: [...namespace], key, value, createdAt, updatedAt });
}

/** Makes a copy, because the caller may change the returned item. */
function copyOf(item: Item): Item {
  return structuredClone(item);
}

function get(items: Items, operation: GetOperation): Item | null {
  const item = items.get(keyOf(operation));
  return item === undefined ? null : copyOf(item);
}

function search(
  items: Items,
  { namespacePrefix, filter = {}, limit = LIMITS.searchedItems, offset = 0 }: SearchOperation,
): SearchItem[] {
  const found = items.values().filter(({ namespace, value }) => {
    return (
      namespacePrefix.every((label, at) => namespace[at] === label) &&
      Object.entries(filter).every(([key, wanted]) => isMatch(value[key], wanted))
    );
  });
  return [...found.drop(offset).take(limit)].map(copyOf);
}

function namespacesOf(
  items: Items,
  { matchConditions = [], maxDepth, limit, offset }: ListNamespacesOperation,
): string[][] {
  const matching = items
    .values()
    .map(({ namespace }) => namespace)
    .filter((namespace) => matchConditions.every((condition) => isNamespaceMatch(namespace, condition)))
    .map((namespace) => namespace.slice(0, maxDepth));
  const unique = new Map([...matching].map((namespace) => [JSON.stringify(namespace), namespace]));
  const sorted = [...unique.values()].sort((a, b) => (a.join("\0") < b.join("\0") ? -1 : 1));
  return sorted.slice(offset, offset + limit);
}
