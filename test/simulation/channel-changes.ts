/** Edits, deletions and reactions of a simulated channel: how members make them, and the promises about them. */

import type { AgenticClient } from "@continuo/core/client";
import type { StoredEvent } from "@continuo/core/model";
import { authorOf, recordOf } from "@continuo/core/wire";
import type { MemberReading } from "./channel-members.ts";
import type { World } from "./world.ts";

/** A change that a member requested. Its words are unique. */
export interface ChangeRecord {
  readonly type: "edit" | "edit of another's" | "delete" | "react" | "take back";
  readonly messageId: string;
  readonly handle: string;
  /** The new text, or the reaction. */
  readonly words: string;
  isConfirmed: boolean;
}

interface Changing {
  readonly random: World["random"];
  readonly handle: string;
  readonly id: string;
  /** Messages that the server confirmed, including deleted ones. */
  readonly messages: readonly string[];
  readonly changes: ChangeRecord[];
}

/** Requests one change of any message. A refusal is thrown. */
export async function changeMessage(
  client: AgenticClient,
  { random, handle, id, messages, changes }: Changing,
): Promise<void> {
  if (messages.length === 0) return;
  const messageId = random.pick(messages);
  const ask = async (type: ChangeRecord["type"], words: string, make: () => Promise<void>): Promise<void> => {
    const change: ChangeRecord = { type, messageId, handle, words, isConfirmed: false };
    changes.push(change);
    await make();
    change.isConfirmed = true;
  };
  const isOwn = messageId.startsWith(`${handle}#`);
  if (random.chance(0.5)) {
    await ask("react", id, () => client.addReaction(messageId, id));
    if (random.chance(0.5)) await client.addReaction(messageId, id);
    if (random.chance(0.3)) await ask("take back", id, () => client.removeReaction(messageId, id));
  } else if (isOwn && random.chance(0.3)) await ask("delete", "", () => client.delete(messageId));
  else await ask(isOwn ? "edit" : "edit of another's", id, () => client.edit(messageId, id));
}

const CHANGES = new Set(["message_edited", "message_deleted", "reaction_added", "reaction_removed"]);

interface StoredChange {
  readonly sequence: number;
  readonly type: string;
  readonly messageId: string;
  readonly words: string;
  readonly author: string | null;
}

function storedChanges(events: readonly StoredEvent[]): readonly StoredChange[] {
  return events
    .filter(({ type }) => CHANGES.has(type))
    .map((event) => {
      const { messageId, content, reaction } = recordOf(event.data);
      const { sequence, type } = event;
      const author = authorOf(event);
      return {
        sequence,
        type,
        messageId: String(messageId),
        words: String(content ?? reaction ?? ""),
        author,
      };
    });
}

/** The sequence at which each message was deleted. */
export function deletions(events: readonly StoredEvent[]): ReadonlyMap<string, number> {
  const deleted = storedChanges(events).filter(({ type }) => type === "message_deleted");
  return new Map(deleted.map(({ messageId, sequence }) => [messageId, sequence]));
}

const STORED_AS: Readonly<Record<ChangeRecord["type"], string>> = {
  edit: "message_edited",
  "edit of another's": "message_edited",
  delete: "message_deleted",
  react: "reaction_added",
  "take back": "reaction_removed",
};

/**
 * Returns the faults: a confirmed change must be stored once, a deleted message must not change again, and nobody may
 * edit messages of others.
 */
export function inChanges(
  events: readonly StoredEvent[],
  changes: readonly ChangeRecord[],
): readonly string[] {
  const stored = storedChanges(events);
  const faults: string[] = [];
  const gone = new Set<string>();
  for (const { sequence, type, messageId, words, author } of stored) {
    if (gone.has(messageId)) faults.push(`${messageId} was deleted, and took ${sequence} (${type})`);
    if (type === "message_deleted") gone.add(messageId);
    if (type === "message_edited" && !messageId.startsWith(`${author}#`))
      faults.push(`${author} edited ${messageId} to "${words}"`);
  }
  for (const { type, messageId, words, isConfirmed } of changes) {
    const count = stored.filter(
      (one) => one.type === STORED_AS[type] && one.messageId === messageId && one.words === words,
    ).length;
    if (isConfirmed && count === 0)
      faults.push(`the change of ${messageId} (${type}) was confirmed, and is lost`);
    if (type !== "delete" && count > 1) faults.push(`${messageId} has ${words} (${type}) ${count} times`);
  }
  return faults;
}

/** Returns the faults: a replay must not have words of a message that was deleted before it began. */
export function inDeletedWords(
  events: readonly StoredEvent[],
  { handle, welcome, given }: MemberReading,
): readonly string[] {
  const deleted = deletions(events);
  const ids = new Map(
    events.map(({ sequence, id, data }) => [sequence, String(recordOf(data).messageId ?? id)]),
  );
  const said = given.filter(({ sequence, text }) => {
    const at = deleted.get(ids.get(sequence) ?? "");
    const isOfReplay =
      sequence <= welcome.latestSequence && (at ?? Number.POSITIVE_INFINITY) <= welcome.latestSequence;
    return isOfReplay && text !== null && text !== "";
  });
  return said.map(({ sequence }) => `${handle} was given the words of ${sequence}, which had been deleted`);
}
