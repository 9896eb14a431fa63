/** One session of the list: a picture of its video, its title, and its actions. */

import type { LiveSession } from "@continuo/core/wire";
import type { ComponentChildren, JSX } from "preact";
import { titleOf } from "./earlier-notes.tsx";
import { Menu } from "./menu.tsx";
import { usePicture } from "./picture.ts";

interface Props {
  readonly session: LiveSession;
  readonly onOpen: () => void;
  readonly onRemove: (what: "session" | "video") => void;
  readonly children: ComponentChildren;
}

export function SessionItem({ session, onOpen, onRemove, children }: Props): JSX.Element {
  const { state, noteIds, keys = [] } = session;
  const title = titleOf(session);
  return (
    <li class="row">
      <Thumbnail session={session} />
      <div class="about">
        <button type="button" class="link" dir="auto" onClick={onOpen}>
          {title}
        </button>
        <span class="dim">
          {began(session)}, {state}, {noteIds.length} {noteIds.length === 1 ? "note" : "notes"}
        </span>
        {keys.length > 1 && (
          <details>
            <summary class="dim">{keys.length} joined tabs</summary>
            <ul class="keys" aria-label={`Keys of ${title}`}>
              {keys.map((key) => (
                <li key={key}>
                  <code>{key}</code>
                </li>
              ))}
            </ul>
          </details>
        )}
        {children}
      </div>
      <Menu label={`More for ${title}`}>
        <button type="button" onClick={() => onRemove("session")}>
          Delete session
        </button>
        <button type="button" onClick={() => onRemove("video")}>
          Delete all sessions of this video
        </button>
      </Menu>
    </li>
  );
}

function Thumbnail({ session: { sessionId, key } }: { readonly session: LiveSession }): JSX.Element {
  const picture = usePicture({ name: `session ${sessionId}`, key, action: { action: "thumbnail" } });
  // The title next to it names the video.
  return <span class="thumbnail">{picture !== null && <img src={picture} alt="" />}</span>;
}

function began({ createdAt }: LiveSession): string {
  return new Date(createdAt).toLocaleTimeString(undefined, { timeStyle: "short" });
}
