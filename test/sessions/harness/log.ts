/**
 * A session's log as tests compare it: complete, without times, and with ids that are numbered in the order in which
 * they appear.
 */

import type { Store, StoredEvent } from "@continuo/core/model";

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/gu;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u;

/** Returns `type, who, data`, one line for each event. */
export type LogLine = readonly [type: string, by: string, data: unknown];

export async function eventsOf(store: Store, sessionId: string): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: Awaited<ReturnType<Store["read"]>> = await store.read(sessionId, { after });
    events.push(...page.events);
    after = page.nextAfter;
  }
  return events;
}

export async function logOf(store: Store, sessionId: string): Promise<readonly LogLine[]> {
  const ids = new Map<string, string>();
  return (await eventsOf(store, sessionId)).map(({ type, actor, data, invalid }) => {
    if (invalid !== undefined) throw new Error(`${type}: ${invalid}`);
    const by = actor.agent ?? actor.kind;
    return [type, by, normal(data, ids)];
  });
}

export function normal(value: unknown, ids: Map<string, string> = new Map()): unknown {
  if (typeof value === "string") {
    if (TIME.test(value)) return "time";
    return value.replace(UUID, (id) => {
      const name = ids.get(id) ?? `id${ids.size + 1}`;
      ids.set(id, name);
      return name;
    });
  }
  if (Array.isArray(value)) return value.map((item) => normal(item, ids));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, normal(item, ids)]));
}

/** One text block. */
export function words(text: string): readonly { readonly type: "text"; readonly text: string }[] {
  return [{ type: "text", text }];
}
