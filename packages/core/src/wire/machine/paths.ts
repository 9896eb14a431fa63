/** Paths below `/v1/machine/`. Keys and ids of messages come from sessions, so they are encoded. */

export const MACHINE_ROOT = "/v1/machine";

/** A WebSocket over which another machine mirrors a session to this one. */
export const MIRROR_PATH = "/v1/machine/mirror";

const TRASH_KEY = "trash:";

/** The key of a session in the trash. The session can be read by this key, but not changed. */
export function trashKey(trashId: string): string {
  return `${TRASH_KEY}${trashId}`;
}

export function isTrashKey(key: string): boolean {
  return key.startsWith(TRASH_KEY);
}

type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export function sessionsPath(query: Query = {}): string {
  return `${MACHINE_ROOT}/sessions${queryOf(query)}`;
}

/** @param part `history`, `events`, `outline`, `changes`, `resume`, `handoff`, `repair`, …; the head when empty */
export function sessionPath(key: string, part = "", query: Query = {}): string {
  const below = part === "" ? "" : `/${part}`;
  return `${MACHINE_ROOT}/sessions/${encodeURIComponent(key)}${below}${queryOf(query)}`;
}

export function historyPath(key: string, query: Query = {}): string {
  return sessionPath(key, "history", query);
}

/** @param path the place of the image in its message: `content/0` */
export function imagePath(key: string, messageId: string, path: string, branch?: string): string {
  return sessionPath(key, `messages/${encodeURIComponent(messageId)}/image`, { path, branch });
}

export function exportPath(
  key: string,
  query: { format: "md" | "html" | "json" | "jsonl"; secrets?: "masked" },
): string {
  return sessionPath(key, "export", query);
}

function queryOf(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}
