/** One session of the list: a picture of its video, its title, and its actions. */

import type { LiveSession } from "@continuo/core/wire";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { titleOf } from "./earlier-notes.tsx";
import { ask } from "./link.ts";
import { Menu } from "./menu.tsx";

interface Props {
  readonly session: LiveSession;
  readonly onOpen: () => void;
  readonly onRemove: (what: "session" | "video") => void;
  readonly children: ComponentChildren;
}

export function SessionRow({ session, onOpen, onRemove, children }: Props): JSX.Element {
  const { state, noteIds } = session;
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
        {children}
      </div>
      <Menu label={`More for ${title}`}>
        <button type="button" onClick={() => onRemove("session")}>
          Delete session
        </button>
        <button type="button" onClick={() => onRemove("video")}>
          Delete all of this video
        </button>
      </Menu>
    </li>
  );
}

/** Pictures by session, while the panel is open; `null` for one that has none. */
const pictures = new Map<string, Promise<string | null>>();
/** They are read one after another: a list of a hundred does not flood the server. */
let last: Promise<unknown> = Promise.resolve();

function pictureOf({ sessionId, key }: LiveSession): Promise<string | null> {
  const known = pictures.get(sessionId);
  if (known !== undefined) return known;
  const read = last
    .then(() => ask(key, { action: "thumbnail" }))
    .then(
      (url) => (typeof url === "string" ? url : null),
      () => null,
    );
  last = read;
  pictures.set(sessionId, read);
  // A session that runs has its first picture later.
  void read.then((url) => url === null && pictures.delete(sessionId));
  return read;
}

function Thumbnail({ session }: { readonly session: LiveSession }): JSX.Element {
  const [picture, setPicture] = useState<string | null>(null);
  useEffect(() => {
    let isOver = false;
    void pictureOf(session).then((url) => isOver || setPicture(url));
    return () => {
      isOver = true;
    };
  }, [session.sessionId]);
  // The title beside it says what it is of.
  return <span class="thumbnail">{picture !== null && <img src={picture} alt="" />}</span>;
}

function began({ createdAt }: LiveSession): string {
  return new Date(createdAt).toLocaleTimeString(undefined, { timeStyle: "short" });
}
