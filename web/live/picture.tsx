/** The picture of a frame, which the page fetches from its server; an expired picture is left out. */

import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { showImage } from "../state/files.ts";
import type { Item } from "./fold.ts";
import { livePath } from "./paths.ts";

export type FrameItem = Extract<Item, { type: "frame" }>;

interface PictureProps {
  readonly sessionKey: string;
  readonly frame: FrameItem;
  readonly words: string;
}

export function Picture({ sessionKey, frame, words }: PictureProps): VNode | null {
  const { picture, sequence } = frame;
  const image = useRef<HTMLImageElement>(null);
  const path = picture === null ? null : livePath(sessionKey, `/blobs/${picture.hash}?sequence=${sequence}`);
  useEffect(
    () => (path === null || image.current === null ? undefined : showImage(image.current, path)),
    [path],
  );
  if (path === null) return null;
  return (
    <img
      ref={image}
      alt={words}
      decoding="async"
      onError={({ currentTarget }) => {
        // Only the picture is hidden: the text of the frame stays.
        currentTarget.hidden = true;
      }}
    />
  );
}
