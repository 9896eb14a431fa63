/**
 * Prints all files of a session one after the other. A browser does not wait for the page when it prints, so everything
 * is read first.
 */

import { visibleLine } from "@continuo/core/transcript";
import { type ChangedPath, type FileChanges, sessionPath } from "@continuo/core/wire/machine";
import { type Signal, signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { counted } from "../content/words.ts";
import { ask, sayError } from "../state/server.ts";
import { ShownChanges } from "./file-diff.tsx";
import type { SessionState } from "./session-state.ts";

type PrintedFile = Pick<FileChanges, "path" | "changes" | "net">;

export interface FilesPrint {
  /** In the order of the list; empty until they are requested. */
  readonly files: Signal<readonly PrintedFile[]>;
  /** The number of files that were read so far; `null` while none is being read. */
  readonly done: Signal<number | null>;
  readonly failure: Signal<string | null>;
  start(): void;
}

/** Ctrl+P and Cmd+P print all files too. */
export function useFilesPrint(state: SessionState, listed: readonly ChangedPath[] | null): FilesPrint {
  const print = useMemo(() => createPrint(state, listed ?? []), [state, listed]);
  useEffect(() => {
    if (listed === null || listed.length < 2) return;
    const stop = new AbortController();
    const pressed = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (key.toLowerCase() !== "p" || ctrlKey === metaKey || altKey || shiftKey) return;
      event.preventDefault();
      print.start();
    };
    document.addEventListener("keydown", pressed, { signal: stop.signal });
    return () => stop.abort();
  }, [print, listed]);
  return print;
}

function createPrint(state: SessionState, listed: readonly ChangedPath[]): FilesPrint {
  const files = signal<readonly PrintedFile[]>([]);
  const done = signal<number | null>(null);
  const failure = signal<string | null>(null);
  const read = async (): Promise<void> => {
    const all: PrintedFile[] = [];
    for (const { path } of listed) {
      done.value = all.length;
      all.push(await wholeFile(state, path));
    }
    files.value = all;
  };
  return {
    files,
    done,
    failure,
    start() {
      if (done.value !== null) return;
      failure.value = null;
      void read()
        .then(() => window.print())
        .catch((error: unknown) => {
          failure.value = sayError(error);
        })
        .finally(() => {
          done.value = null;
        });
    },
  };
}

async function wholeFile(state: SessionState, path: string): Promise<PrintedFile> {
  const changes: FileChanges["changes"][number][] = [];
  let net: FileChanges["net"] = null;
  let after: number | null = null;
  do {
    const query = after === null ? { path } : { path, after };
    const part: FileChanges = await ask<FileChanges>(sessionPath(state.key, "changes", query));
    changes.push(...part.changes);
    if (after === null) net = part.net;
    after = part.nextAfter;
  } while (after !== null);
  return { path, changes, net };
}

interface PrintButtonProps {
  readonly print: FilesPrint;
  readonly total: number;
}

export function PrintButton({ print, total }: PrintButtonProps): VNode | null {
  const done = print.done.value;
  if (total < 2) return null;
  return (
    <>
      <button type="button" class="quiet" disabled={done !== null} onClick={() => print.start()}>
        {done === null ? `Print all ${total} files` : `Reading ${done + 1} of ${total}…`}
      </button>
      {print.failure.value === null ? null : <span role="alert">{print.failure.value}</span>}
    </>
  );
}

export function PrintedFiles({ print, state }: { print: FilesPrint; state: SessionState }): VNode {
  return (
    <main class="file-changes">
      {print.files.value.map(({ path, changes, net }) => (
        <section key={path}>
          <h2 class="path">
            <bdi>{visibleLine(path)}</bdi>
          </h2>
          <ShownChanges changes={changes} net={net} path={path} state={state} />
        </section>
      ))}
    </main>
  );
}

/** A note for paper: the print command in the browser's menu prints only what is already loaded. */
export function NotPrinted({ total }: { readonly total: number }): VNode | null {
  if (total < 2) return null;
  return (
    <p class="on-paper">
      The changes of {counted(total - 1, "other file")} are not on this paper: “Print all {total} files”
      prints them.
    </p>
  );
}
