/** The button and the key that show all keys. */

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { keyHint, useKeys } from "./keys.ts";
import { lazily } from "./lazy.tsx";

const KeysDialog = lazily(async () => (await import("../help/keys-dialog.tsx")).KeysDialog);

export function HelpButton(): VNode {
  const isOpen = useSignal(false);
  const open = (): void => {
    isOpen.value = true;
  };
  useKeys({ "?": open });
  return (
    <>
      <button type="button" class="quiet wide" {...keyHint("?")} onClick={open}>
        Keys
      </button>
      {isOpen.value ? (
        <KeysDialog
          onClose={() => {
            isOpen.value = false;
          }}
        />
      ) : null}
    </>
  );
}
