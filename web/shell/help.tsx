/** The keys, in a dialog. */

import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { useKeys } from "./keys.ts";

const KEYS: readonly (readonly [string, string])[] = [
  ["j  k", "next and previous session, or turn"],
  ["[  ]", "previous and next place: an error, a commit, a compaction"],
  ["/", "search"],
  ["Enter", "open the session"],
  ["t", "fold or unfold thinking"],
  ["m", "show the session as the model sees it"],
  ["c", "the command that resumes the session"],
  ["a", "actions: hand over, fork, rename, repair, export, delete"],
  ["f", "files that the session changed"],
  ["g  G", "first turn, newest turn"],
  ["u", "back to the list"],
  ["?", "this list"],
];

export function HelpDialog(): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = (): void => dialog.current?.showModal();
  useKeys({ "?": open });
  return (
    <>
      <button type="button" class="quiet" aria-keyshortcuts="?" onClick={open}>
        Keys
      </button>
      <dialog ref={dialog} aria-labelledby="keys-title">
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
    </>
  );
}
