/** The message that something was deleted, with the button that brings it back. */

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
  // The pressed button disappears with the deleted item: the focus moves here.
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
