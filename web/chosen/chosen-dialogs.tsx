/**
 * The questions before an action on several sessions: the tags, the format of the files, and the confirmation of a
 * deletion.
 */

import type { MachineSession } from "@continuo/core/wire/machine";
import { useSignal } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { counted } from "../content/words.ts";
import { facets } from "../list/list-state.ts";
import { TagForm } from "../parts/tag-form.tsx";
import { isLost } from "../state/server.ts";
import type { Work } from "./chosen-bar.tsx";
import { deleteAll, type ExportWish, exportAll, tagAll } from "./chosen-work.ts";

interface DialogProps {
  readonly sessions: readonly MachineSession[];
  readonly run: (work: Work) => Promise<void>;
  readonly onClose: () => void;
}

interface FrameProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

function Frame({ title, onClose, children }: FrameProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="chosen-title" onClose={onClose}>
      <h2 id="chosen-title">{title}</h2>
      {children}
      <form method="dialog">
        <button type="submit">Cancel</button>
      </form>
    </dialog>
  );
}

export function DeleteDialog({ sessions, run, onClose }: DialogProps): VNode {
  return (
    <Frame title="Move to the trash" onClose={onClose}>
      <p>{counted(sessions.length, "session")} can be restored as they were until the trash is emptied.</p>
      <p class="actions">
        <button
          type="button"
          class="primary"
          disabled={isLost.value}
          onClick={() => void run((onDone) => deleteAll(sessions, onDone))}
        >
          Move {counted(sessions.length, "session")}
        </button>
      </p>
    </Frame>
  );
}

const FORMATS: readonly (readonly [ExportWish["format"], string])[] = [
  ["html", "Pages"],
  ["md", "Markdown"],
  ["json", "JSON"],
];

export function ExportDialog({ sessions, run, onClose }: DialogProps): VNode {
  const isMasked = useSignal(true);
  return (
    <Frame title="Export" onClose={onClose}>
      <p class="dim">{counted(sessions.length, "session")} in one archive, a file for each.</p>
      <label title="Keys, tokens and passwords of known forms. Secrets of other forms stay.">
        <input
          type="checkbox"
          checked={isMasked.value}
          onChange={(event) => {
            isMasked.value = event.currentTarget.checked;
          }}
        />{" "}
        Mask secrets
      </label>
      <p class="actions">
        {FORMATS.map(([format, label]) => (
          <button
            key={format}
            type="button"
            disabled={isLost.value}
            onClick={() => void run(() => exportAll(sessions, { format, isMasked: isMasked.value }))}
          >
            {label}
          </button>
        ))}
      </p>
    </Frame>
  );
}

export function TagDialog({ sessions, run, onClose }: DialogProps): VNode {
  const text = useSignal("");
  const tags = [...new Set(sessions.flatMap(({ marks }) => marks.tags))].sort();
  return (
    <Frame title={`Tags of ${counted(sessions.length, "session")}`} onClose={onClose}>
      <TagForm
        label="Add"
        text={text}
        tags={tags}
        known={facets.value.tags.map(({ tag }) => tag)}
        isOff={isLost.value}
        onChange={(request) => void run((onDone) => tagAll(sessions, request, onDone))}
      />
    </Frame>
  );
}
