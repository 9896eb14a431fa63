/** Compares the sessions of a person on the disk with their state before an edit and after it. */

import type { Exports } from "./programs.ts";

export interface SessionContent {
  /** The role and the text of each message. */
  readonly said: readonly string[];
  readonly problems: readonly string[];
}

export interface KnownSession extends SessionContent {
  readonly title: string;
}

export interface NativeSessions {
  readonly sessions: Readonly<Record<string, KnownSession>>;
  /** The number of entries of each session in the trash; a repair keeps the old state there too. */
  readonly trash: Readonly<Record<string, number>>;
}

export interface Edit {
  readonly how: "create" | "append" | "fork" | "rename" | "repair" | "delete" | "restore" | "empty";
  /** `agent:id`; `null` for a new session. */
  readonly ref: string | null;
  readonly text: string;
  /** The session as it was before its deletion, if the edit restores it. */
  readonly deleted?: KnownSession | undefined;
}

interface Places {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The sessions that were read, by a key of all files on which they depend. */
export interface SessionsBefore {
  readonly sessions: Map<string, SessionContent>;
  /**
   * Returns the key of a session's file: its content, and the content of all files that do not belong to a single
   * session.
   */
  readonly keyOf: (location: string, locations: ReadonlySet<string>) => string;
}

/** @param before the sessions that were read before; without it, every session is read */
export async function readSessions(
  { native, editing }: Exports["editor"],
  places: Places,
  before?: SessionsBefore,
): Promise<NativeSessions> {
  const sessions: Record<string, KnownSession> = {};
  const infos = await native.listNativeSessions({ places, archived: "include" });
  const locations = new Set(infos.map(({ location }) => location));
  for (const { agent, sessionId, title, location } of infos) {
    const key = before?.keyOf(location, locations);
    const known = key === undefined ? undefined : before?.sessions.get(key);
    const content = known ?? (await readContent(native, location, places));
    if (key !== undefined) before?.sessions.set(key, content);
    sessions[`${agent}:${sessionId}`] = { title: String(title), ...content };
  }
  const trash: Record<string, number> = {};
  for (const { info } of editing.listTrashedSessions({ places })) {
    const key = `${info.agent}:${info.sessionId}`;
    trash[key] = (trash[key] ?? 0) + 1;
  }
  for (const { message } of editing.trashProblems({ places })) throw new Error(message);
  return { sessions, trash };
}

async function readContent(
  native: Exports["editor"]["native"],
  location: string,
  places: Places,
): Promise<SessionContent> {
  const { messages, problems } = await native.readNativeSession(location, { places });
  const said = messages.map(({ role, content }) => `${role} ${JSON.stringify(content)}`);
  return { said, problems: problems.map(({ code }) => code) };
}

export type Verdict =
  | { readonly type: "before" | "after" | "both" | "in part" }
  | { readonly type: "neither"; readonly why: string };

/** Returns which state was found. Only the session of the edit may differ. */
export function judge(before: NativeSessions, found: NativeSessions, edit: Edit | null): Verdict {
  const changed = differences(before, found);
  if (changed.length === 0) return { type: edit !== null && isDone(before, found, edit) ? "both" : "before" };
  if (edit !== null && isDone(before, found, edit) && isAlone(changed, before, edit))
    return { type: "after" };
  // The trash is emptied session by session.
  if (edit?.how === "empty" && isAlone(changed, before, edit)) return { type: "in part" };
  return { type: "neither", why: changed.join("; ") };
}

function differences(before: NativeSessions, found: NativeSessions): readonly string[] {
  const of = (kind: "sessions" | "trash"): readonly string[] => {
    const keys = new Set([...Object.keys(before[kind]), ...Object.keys(found[kind])]);
    return [...keys].flatMap((key) => {
      const [was, is] = [JSON.stringify(before[kind][key]), JSON.stringify(found[kind][key])];
      if (was === is) return [];
      const what = is === undefined ? "is gone" : was === undefined ? "is new" : `is ${is}, was ${was}`;
      return [`${kind === "trash" ? "trash " : ""}${key} ${what}`];
    });
  };
  return [...of("sessions"), ...of("trash")];
}

/** Returns true if every difference belongs to the session of the edit, or to a new session that the edit makes. */
function isAlone(changed: readonly string[], before: NativeSessions, { how, ref }: Edit): boolean {
  const own = changed.filter((line) => {
    const key = line.replace(/^trash /u, "").split(" ")[0] ?? "";
    if (how === "create" || how === "fork") return !(key in before.sessions) && line.endsWith("is new");
    return how === "empty" ? line.startsWith("trash ") : key === ref;
  });
  return own.length === changed.length;
}

function isDone(before: NativeSessions, found: NativeSessions, { how, ref, text, deleted }: Edit): boolean {
  const [was, is] = ref === null ? [undefined, undefined] : [before.sessions[ref], found.sessions[ref]];
  const inTrash = ref === null ? 0 : (found.trash[ref] ?? 0) - (before.trash[ref] ?? 0);
  const made = Object.keys(found.sessions).filter((key) => !(key in before.sessions));
  const [first] = made.map((key) => found.sessions[key]);
  const holds = (said: readonly string[] = []): boolean => said.some((one) => one.includes(`"${text}"`));
  switch (how) {
    case "create":
      return made.length === 1 && first?.said.length === 1 && holds(first.said);
    case "append":
      return (
        is !== undefined &&
        holds(is.said.slice(-1)) &&
        is.said.length === (was?.said.length ?? 0) + 1 &&
        begins(is, was)
      );
    case "fork":
      return made.length === 1 && JSON.stringify(first?.said) === JSON.stringify(was?.said);
    case "rename":
      // pi stores a title as a record, so there may be one message more.
      return is?.title === text && begins(is, was) && is.said.length <= (was?.said.length ?? 0) + 1;
    case "repair":
      return is !== undefined && is.said.length >= (was?.said.length ?? 0);
    case "delete":
      return is === undefined && inTrash === 1;
    case "restore":
      return is !== undefined && inTrash === -1 && JSON.stringify(is) === JSON.stringify(deleted);
    case "empty":
      return Object.keys(found.trash).length === 0;
  }
}

function begins(is: KnownSession, was: KnownSession | undefined): boolean {
  return was?.said.every((one, n) => is.said[n] === one) ?? true;
}
