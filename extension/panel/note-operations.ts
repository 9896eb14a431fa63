/** A person's operations on the notes of the shown session. */

import type { NoteOperation } from "@continuo/core/wire";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Failure } from "../sending/view.ts";
import { ask } from "./link.ts";
import type { Undo } from "./undo-bar.tsx";

export interface NoteOperations {
  /** Resolves to false if it failed; the failure is shown. */
  readonly operate: (noteId: string, operation: NoteOperation) => Promise<boolean>;
  readonly remove: (noteId: string) => void;
  /** The undo of the newest deletion. */
  readonly undo: Undo | null;
  readonly setUndo: (undo: Undo | null) => void;
}

/** Returns a function that is true while the session with this key is shown, also when answers arrive late. */
export function useIsShown(key: string): () => boolean {
  const shown = useRef(key);
  shown.current = key;
  return () => shown.current === key;
}

export function useNoteOperations(key: string, onFailure: (failure: Failure | null) => void): NoteOperations {
  const [undo, setUndo] = useState<Undo | null>(null);
  useEffect(() => setUndo(null), [key]);
  const isShown = useIsShown(key);
  const operate = async (noteId: string, operation: NoteOperation): Promise<boolean> => {
    onFailure(null);
    return await ask(key, { action: "operate", noteId, operation }).then(
      () => true,
      (error: Failure) => {
        onFailure(error);
        return false;
      },
    );
  };
  const remove = (noteId: string): void => {
    const bringBack = (): void => void operate(noteId, { operation: "undo" });
    void operate(noteId, { operation: "remove" }).then((isDone) => {
      if (isDone && isShown()) setUndo({ text: "The note was deleted.", undo: bringBack });
    });
  };
  return { operate, remove, undo, setUndo };
}
