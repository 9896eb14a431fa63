/** The actions on a session: a menu, and a dialog for actions that need input or a preview. */

import { exportPath, ONLY_READS } from "@continuo/core/wire/machine";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { moveInMenu } from "../shell/arrow-keys.ts";
import { keyHint, useKeys } from "../shell/keys.ts";
import { lazily } from "../shell/lazy.tsx";
import { downloadFile } from "../state/files.ts";
import { isLost, sayError } from "../state/server.ts";
import type { SessionState } from "./session-state.ts";

export type Action =
  | "resume"
  | "share"
  | "compare"
  | "handoff"
  | "fork"
  | "rename"
  | "tags"
  | "repair"
  | "delete";

const ACTIONS: readonly (readonly [action: Action, label: string, key?: string])[] = [
  ["handoff", "Hand over to another agent…", "h"],
  ["fork", "Fork…"],
  ["rename", "Rename…"],
  ["tags", "Pin, and tags…"],
  ["repair", "Repair…"],
  ["delete", "Move to the trash", "Delete"],
];

/** A page that only reads may do these too. */
const READS: ReadonlySet<Action> = new Set(["resume", "share", "compare"]);

type Format = "html" | "md" | "json";

const FORMATS: readonly (readonly [Format, string])[] = [
  ["html", "Export as a page"],
  ["md", "Export as Markdown"],
  ["json", "Export as JSON"],
];

const Restore = lazily(async () => (await import("../parts/trash.tsx")).Restore);
const ActionDialog = lazily(async () => (await import("./action-dialog.tsx")).ActionDialog);

export function Actions({ state }: { state: SessionState }): VNode | null {
  const open = useSignal<Action | null>(null);
  const masks = useSignal(true);
  const menu = useRef<HTMLDetailsElement>(null);
  const mayChange = state.head.value?.readOnly !== ONLY_READS;
  /** The button of the menu gets the focus, so that a dialog returns it to a visible element. */
  const closeMenu = (): boolean => {
    if (menu.current?.open !== true) return false;
    menu.current.open = false;
    menu.current.querySelector("summary")?.focus();
    return true;
  };
  const start = (action: Action): void => {
    if (!mayChange && !READS.has(action)) return;
    if (isLost.value || state.head.value?.session.trashId != null) return;
    closeMenu();
    open.value = action;
  };
  const save = (format: Format): void => {
    closeMenu();
    const path = exportPath(state.key, { format, ...(masks.value && { secrets: "masked" }) });
    downloadFile(path).catch((error: unknown) => {
      state.failure.value = sayError(error);
    });
  };
  useKeys({
    c: () => start("resume"),
    s: () => start("share"),
    d: () => start("compare"),
    h: () => start("handoff"),
    Delete: () => start("delete"),
    // The key that deletes on an Apple keyboard.
    Backspace: () => start("delete"),
    a: () => {
      if (menu.current === null) return false;
      menu.current.open = !menu.current.open;
      return menu.current.querySelector<HTMLElement>("button, a")?.focus();
    },
    Escape: closeMenu,
  });
  const head = state.head.value;
  if (head === null) return null;
  if (head.session.trashId !== null) return <Restore row={head.session} />;
  return (
    <fieldset class="actions bare" disabled={isLost.value}>
      <button
        type="button"
        class="primary"
        {...keyHint("c", "The command that continues it in its agent")}
        onClick={() => start("resume")}
      >
        Resume
      </button>
      <button
        type="button"
        {...keyHint("s", "One file, masked, with a receipt")}
        onClick={() => start("share")}
      >
        Share
      </button>
      <details class="menu" ref={menu} onKeyDown={moveInMenu}>
        <summary {...keyHint("a")}>More</summary>
        <ul>
          {mayChange ? null : <li class="dim">{ONLY_READS}</li>}
          <li>
            <button type="button" {...keyHint("d")} onClick={() => start("compare")}>
              Compare…
            </button>
          </li>
          {(mayChange ? ACTIONS : []).map(([action, label, key]) => (
            <li key={action}>
              <button type="button" {...(key && keyHint(key))} onClick={() => start(action)}>
                {label}
              </button>
            </li>
          ))}
          <li>
            <label title="Keys, tokens and passwords of known forms. Secrets of other forms stay.">
              <input
                type="checkbox"
                checked={masks.value}
                onChange={(event) => {
                  masks.value = event.currentTarget.checked;
                }}
              />{" "}
              Mask secrets in exports
            </label>
          </li>
          {FORMATS.map(([format, label]) => (
            <li key={format}>
              <button type="button" onClick={() => save(format)}>
                {label}
              </button>
            </li>
          ))}
        </ul>
      </details>
      {open.value === null ? null : (
        <ActionDialog
          action={open.value}
          state={state}
          onClose={() => {
            open.value = null;
          }}
        />
      )}
    </fieldset>
  );
}
