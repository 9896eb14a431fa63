/** The trash: its sessions can be read and restored, until it is emptied. A page that only reads shows no action. */

import {
  type EmptyTrashAnswer,
  MACHINE_ROOT,
  type MachineSession,
  ONLY_READS,
} from "@continuo/core/wire/machine";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { titleText } from "../content/title.ts";
import { failure, load, total } from "../list/list-state.ts";
import { sessionLink } from "../shell/route.ts";
import { ask, isLost, sayError } from "../state/server.ts";
import { useMayChange } from "./may-change.ts";

interface RowProps {
  readonly row: MachineSession;
}

export async function restored({ trashId }: Pick<MachineSession, "trashId">): Promise<MachineSession | null> {
  const path = `${MACHINE_ROOT}/trash/${encodeURIComponent(trashId ?? "")}/restore`;
  return await ask<MachineSession | null>(path, { body: {} });
}

/** Restores the session of a row, which then disappears from the list of the trash. */
export function RestoreButton({ row }: RowProps): VNode | null {
  const isBusy = useSignal(false);
  if (useMayChange() !== true) return null;
  const restore = async (): Promise<void> => {
    isBusy.value = true;
    try {
      await restored(row);
      await load();
    } catch (error) {
      failure.value = sayError(error);
    }
    isBusy.value = false;
  };
  return (
    <button
      type="button"
      class="restore"
      aria-label={`Restore ${titleText(row.title, "this session")}`}
      disabled={isBusy.value || isLost.value}
      onClick={() => void restore()}
    >
      Restore
    </button>
  );
}

/** The action on the page of a deleted session: it leads to the restored session. */
export function Restore({ row }: RowProps): VNode {
  const failed = useSignal<string | null>(null);
  const isOffered = useMayChange() === true;
  const restore = async (): Promise<void> => {
    try {
      const session = await restored(row);
      location.replace(session === null ? "#/" : sessionLink(session.key));
    } catch (error) {
      failed.value = sayError(error);
    }
  };
  return (
    <div class="actions">
      {failed.value === null ? null : (
        <span class="bad" role="alert">
          {failed.value}
        </span>
      )}
      <span class="dim">In the trash</span>
      {isOffered ? (
        <button type="button" class="primary" disabled={isLost.value} onClick={() => void restore()}>
          Restore
        </button>
      ) : null}
    </div>
  );
}

const STAYED = "Sessions stay in the trash if another one continues from them, or if a run is in progress.";

export function TrashBar(): VNode | null {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOffered = useMayChange();
  const count = total.value ?? 0;
  if (count === 0 || isOffered === null) return null;
  if (!isOffered) {
    return (
      <div class="trash-bar">
        <span class="dim">Deleted sessions can be read. {ONLY_READS}</span>
      </div>
    );
  }
  const empty = async (): Promise<void> => {
    dialog.current?.close();
    try {
      const { stayed } = await ask<EmptyTrashAnswer>(`${MACHINE_ROOT}/trash/empty`, { body: {} });
      await load();
      if (stayed > 0) failure.value = STAYED;
    } catch (error) {
      failure.value = sayError(error);
    }
  };
  return (
    <div class="trash-bar">
      <span class="dim">Deleted sessions can be read, and restored as they were.</span>
      <button type="button" disabled={isLost.value} onClick={() => dialog.current?.showModal()}>
        Empty the trash…
      </button>
      <dialog ref={dialog} aria-labelledby="empty-title">
        <h2 id="empty-title">Empty the trash</h2>
        <p>
          Every session in the trash is deleted for good, also those that the filters hide. Nothing can bring
          them back. A session of Continuo's stays if another one continues from it.
        </p>
        <p class="actions">
          <button type="button" class="primary" disabled={isLost.value} onClick={() => void empty()}>
            Delete them for good
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </p>
      </dialog>
    </div>
  );
}
