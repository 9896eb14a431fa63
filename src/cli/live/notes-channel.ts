/**
 * A channel as the target of notes: each note is one message, which is posted only once, even if the command starts
 * again.
 */

import { isContinuoError } from "@continuo/core/model";
import type { Note, WireEvent } from "@continuo/core/wire";
import { callServer, channelPath, type ServerAccess } from "../channel/index.ts";
import { plural } from "../terminal/index.ts";
import { timeOf } from "./lines.ts";
import { momentUrl } from "./moments.ts";
import { type NoteTarget, titleOf, type VideoNotes } from "./note-pages.ts";

export interface ChannelOptions {
  readonly access: ServerAccess;
  readonly channel: string;
  readonly handle: string;
  /** If it aborts, no further message is posted. */
  readonly signal: AbortSignal;
}

const PREFIX = "live-note ";
/** The longest note id that is used unchanged in the id of a message. */
const MAX_ID = 200;
/** A longer text of a note is cut, because a channel limits its messages. */
const MAX_CHARS = 20_000;

export class NotesChannel implements NoteTarget {
  readonly #options: ChannelOptions;
  /** Ids of messages; `null` before the channel was read. */
  #posted: Set<string> | null = null;

  constructor(options: ChannelOptions) {
    this.#options = options;
  }

  place(): string {
    return this.#options.channel;
  }

  async take(video: VideoNotes): Promise<string | null> {
    const posted = await this.#known();
    const title = titleOf(video);
    let count = 0;
    for (const { notes } of video.sessions) {
      for (const note of notes) {
        if (this.#options.signal.aborted) return null;
        const id = idOf(note.noteId);
        // A note that was merged or split from posted notes repeats them, so it is not posted.
        const isKnown = posted.has(id) || note.lineage.some((noteId) => posted.has(idOf(noteId)));
        if (!isKnown) {
          await this.#post(id, contentOf(note, { title, videoId: video.videoId }));
          count++;
        }
        posted.add(id);
      }
    }
    return count === 0 ? null : `#${this.#options.channel}: ${plural(count, "note")} of ${title}`;
  }

  async #post(id: string, content: string): Promise<void> {
    const { access, channel, handle } = this.#options;
    try {
      await callServer(access, channelPath(channel, "/messages"), { id, handle, content });
    } catch (error) {
      // The message already exists, with the text that the note had then.
      if (!isContinuoError(error, "conflict")) throw error;
    }
  }

  async #known(): Promise<Set<string>> {
    if (this.#posted !== null) return this.#posted;
    const { access, channel } = this.#options;
    const posted = new Set<string>();
    try {
      for (let after: number | null = 0; after !== null; ) {
        const page = (await callServer(access, channelPath(channel, `/events?after=${after}`))) as {
          readonly events: readonly WireEvent[];
          readonly nextAfter: number | null;
        };
        for (const { type, id } of page.events)
          if (type === "message_sent" && id.startsWith(PREFIX)) posted.add(id);
        after = page.nextAfter;
      }
    } catch (error) {
      // The first message creates the channel.
      if (!isContinuoError(error, "not_found")) throw error;
    }
    this.#posted = posted;
    return posted;
  }
}

function idOf(noteId: string): string {
  return `${PREFIX}${noteId.slice(0, MAX_ID)}`;
}

function contentOf(
  { startMs, text, videoId: own }: Note,
  { title, videoId }: { readonly title: string; readonly videoId: string },
): string {
  const url = momentUrl(own ?? videoId, startMs);
  const lines = [
    `${timeOf(startMs)}  ${text.slice(0, MAX_CHARS)}`,
    url === null ? title : `${title}: ${url}`,
  ];
  return lines.map(withoutMentions).join("\n");
}

/** Replaces `@` by its full-width form, because a name in a note must not call an agent. */
function withoutMentions(text: string): string {
  return text.replaceAll("@", "＠");
}
