/** The keys, in a dialog that is loaded when it is first opened. */

import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

const KEYS: readonly (readonly [string, string])[] = [
  ["j  k", "next and previous session, turn, or file"],
  ["[  ]", "previous and next place: an error, a commit, a compaction, a difference"],
  ["/", "search"],
  ["Enter", "open the session, or the first one that the search found"],
  ["x", "select sessions in the list; Esc ends that"],
  ["n  N", "next and previous message with the words that were searched"],
  ["t", "fold or unfold thinking"],
  ["m", "show the session as the model sees it"],
  ["b", "the branches of the session as a tree; arrows walk in it"],
  ["d", "compare the session with a branch, its source, or another session"],
  ["h  l", "left and right column of a comparison on a narrow screen"],
  ["c", "the command that resumes the session"],
  ["s", "share: one file, masked, with a receipt"],
  ["a", "actions: fork, rename, repair, export, and those with keys"],
  ["h", "hand over to another agent"],
  ["Del", "move to the trash, after a question"],
  ["f", "files that the session changed"],
  ["e", "under Files: the edit in the conversation"],
  ["i", "write the next prompt or message; Enter sends it, Shift Enter begins a new line"],
  ["y  n", "go to the answer of a question for permission"],
  ["Esc", "cancel the turn that runs"],
  ["g  G", "first turn, newest turn"],
  ["j  k  p", "next and previous line of a continuous session; play"],
  ["u", "back to the list"],
  ["?", "this list"],
];

export function KeysDialog({ onClose }: { onClose: () => void }): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    dialog.current?.showModal();
    // The focus on the button has scrolled a low window to the end of the list.
    dialog.current?.focus({ preventScroll: true });
    dialog.current?.scrollTo(0, 0);
  }, []);
  return (
    <dialog ref={dialog} tabIndex={-1} aria-labelledby="keys-title" onClose={onClose}>
      <h2 id="keys-title">Keys</h2>
      <dl class="keys">
        {KEYS.map(([key, what]) => (
          <div key={key}>
            <dt>
              {key.split("  ").map((one) => (
                <kbd key={one}>{one}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
