/**
 * A case of the contract of a store: its context and its assertions. No test runner is needed: a case throws or
 * does not.
 */

import assert from "node:assert/strict";
import {
  ContinuoError,
  type ErrorCode,
  type NewEvent,
  type Store,
  type StoredEvent,
} from "@continuo/core/model";

/** Opens a store. A second call with the same workspace opens another store on the same data. */
export type OpenStore = (options: { readonly workspaceId: string }) => Promise<Store>;

export interface CaseContext {
  /** A store with an empty workspace. */
  readonly store: Store;
  /** Another store on the same data, as in another process. Only for cases that need `shared`. */
  another(workspaceId?: string): Promise<Store>;
}

export interface ContractCase {
  readonly name: string;
  /** `shared` needs data that several stores can have open at the same time, unlike the data of a store in memory. */
  readonly needs?: "shared";
  run(context: CaseContext): Promise<void>;
}

export async function rejects(
  code: ErrorCode,
  call: Promise<unknown> | (() => Promise<unknown>),
): Promise<ContinuoError> {
  try {
    await (typeof call === "function" ? call() : call);
  } catch (error) {
    if (!(error instanceof ContinuoError)) throw error;
    assert.equal(error.code, code, error.message);
    // A sentence without its beginning or end is recognized by the remaining space.
    assert.match(error.message, /^\S.*\S$/u);
    assert.notEqual(error.hint, "");
    return error;
  }
  return assert.fail(`It was expected to be refused with ${code}.`);
}

export function said(content: string): NewEvent {
  return { type: "message_sent", data: { content } };
}

export function numbered(count: number, from = 1): readonly NewEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    type: "custom",
    data: { name: "n", value: from + index },
  }));
}

/** The `value`s of events made by `numbered`. */
export function valuesOf(events: readonly StoredEvent[]): readonly unknown[] {
  return events.map((event) => (event.data as { readonly value?: unknown } | null)?.value);
}

export function sequencesOf(events: readonly StoredEvent[]): readonly number[] {
  return events.map((event) => event.sequence);
}

export async function readAll(store: Store, logId: string): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: Awaited<ReturnType<Store["read"]>> = await store.read(logId, { after });
    events.push(...page.events);
    after = page.nextAfter;
  }
  return events;
}

export async function newLog(store: Store, count = 0): Promise<string> {
  const { logId } = await store.createLog(count === 0 ? {} : { events: numbered(count) });
  return logId;
}

/** Tries until the condition is true, for changes that take an unknown time. */
export async function eventually(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 15_000;
  while (!(await holds())) {
    if (performance.now() > deadline) assert.fail("It did not come to be.");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export function bytes(text: string): NewEvent {
  return { type: "bytes", data: new TextEncoder().encode(text) };
}

export function textOf(events: readonly StoredEvent[]): string {
  return events.map((event) => new TextDecoder().decode(event.data as Uint8Array)).join("|");
}
