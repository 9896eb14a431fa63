/** The word that something was deleted, with the button that brings it back. */

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

export interface Undo {
  readonly text: string;
  readonly undo: () => void;
}

interface Props {
  readonly undo: Undo;
  readonly onClose: () => void;
}

export function UndoBar({ undo: { text, undo }, onClose }: Props): JSX.Element {
  const button = useRef<HTMLButtonElement>(null);
  // The button that deleted it is gone with it: the focus goes on here.
  useEffect(() => button.current?.focus(), [text]);
  const act = (): void => {
    onClose();
    undo();
  };
  return (
    <div class="undo" role="status">
      <span dir="auto">{text}</span>
      <button type="button" ref={button} onClick={act}>
        Undo
      </button>
      <button type="button" aria-label="Close this message" onClick={onClose}>
        ✕
      </button>
    </div>
  );
}
