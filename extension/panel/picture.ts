/** Pictures of the server, which are read one after another and only once, so that a long list does not overload it. */

import { useEffect, useState } from "preact/hooks";
import type { PanelAction } from "../sending/panel-requests.ts";
import type { NoteFrame } from "../sending/panel-view.ts";
import { ask } from "./link.ts";

export interface PictureSource {
  /** The name of a picture; equal pictures have the same name. */
  readonly name: string;
  readonly key: string;
  readonly action: PanelAction;
}

export function framePicture({ thumbnail, sequence }: NoteFrame, key: string): PictureSource | null {
  if (thumbnail === null) return null;
  const action = { action: "picture", hash: thumbnail, sequence } as const;
  return { name: `${key} ${sequence} ${thumbnail}`, key, action };
}

const known = new Map<string, Promise<string | null>>();
let last: Promise<unknown> = Promise.resolve();

/** A `data:` URL; `null` until it is read, and for a picture that does not exist or cannot be read. */
export function usePicture(wanted: PictureSource | null): string | null {
  const [picture, setPicture] = useState<string | null>(null);
  useEffect(() => {
    let isOver = false;
    setPicture(null);
    if (wanted !== null) void readPicture(wanted).then((url) => isOver || setPicture(url));
    return () => {
      isOver = true;
    };
  }, [wanted?.name]);
  return picture;
}

/** A `data:` URL; `null` for a picture that does not exist or cannot be read. */
export function readPicture({ name, key, action }: PictureSource): Promise<string | null> {
  const before = known.get(name);
  if (before !== undefined) return before;
  const reading = last
    .then(() => ask(key, action))
    .then(
      (url) => (typeof url === "string" ? url : null),
      () => null,
    );
  last = reading;
  known.set(name, reading);
  // A picture that was not returned is requested again the next time.
  void reading.then((url) => url === null && known.delete(name));
  return reading;
}
