/** The changes of a session in files, file by file in the order of its changes. */

import { visibleLine } from "@continuo/core/transcript";
import {
  type ChangedLine,
  type ChangedPath,
  type ChangesAnswer,
  type FileChange,
  type FileChanges,
  sessionPath,
} from "@continuo/core/wire/machine";
import { signal } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { copyText } from "../content/copy.ts";
import { counted } from "../content/words.ts";
import { useKeys } from "../shell/keys.ts";
import { fileLink } from "../shell/route.ts";
import { ask, isSaved, sayError } from "../state/server.ts";
import { readingWords } from "./facts.tsx";
import { FileDiff } from "./file-diff.tsx";
import { NotPrinted, PrintButton, PrintedFiles, useFilesPrint } from "./printed-files.tsx";
import { isPrinting } from "./printing.ts";
import { addStep, type SessionState } from "./session-state.ts";

interface FilesState {
  readonly files: readonly ChangedPath[] | null;
  readonly chosen: string | null;
  readonly changes: readonly FileChange[];
  /** The sum of all changes; `null` if there is nothing to sum up. */
  readonly net: readonly ChangedLine[] | null;
  readonly nextAfter: number | null;
  readonly failure: string | null;
}

export function Files({ state }: { state: SessionState }): VNode {
  const shown = useMemo(
    () =>
      signal<FilesState>({
        files: null,
        chosen: null,
        changes: [],
        net: null,
        nextAfter: null,
        failure: null,
      }),
    [state],
  );
  const guarded = async (work: () => Promise<Partial<FilesState>>): Promise<void> => {
    try {
      shown.value = { ...shown.value, failure: null, ...(await work()) };
    } catch (error) {
      shown.value = { ...shown.value, failure: sayError(error) };
    }
  };
  const read = (path: string, after: number | null): Promise<void> =>
    guarded(async () => {
      const query = after === null ? { path } : { path, after };
      const answer = await ask<FileChanges>(sessionPath(state.key, "changes", query));
      const { nextAfter } = answer;
      const before = after === null ? [] : shown.value.changes;
      const net = after === null ? answer.net : shown.value.net;
      return { chosen: path, changes: [...before, ...answer.changes], net, nextAfter };
    });
  useEffect(() => {
    void guarded(async () => {
      const { files } = await ask<ChangesAnswer>(sessionPath(state.key, "changes"));
      return { files };
    }).then(() => {
      const { files } = shown.value;
      const named = files?.find(({ path }) => path === state.file.value) ?? files?.[0];
      if (named !== undefined) void read(named.path, null);
    });
  }, [state]);
  const wanted = state.file.value;
  useEffect(() => {
    // The reader went back to the address of another file.
    const { files, chosen } = shown.value;
    const named = files?.find(({ path }) => path === wanted) ?? files?.[0];
    if (named !== undefined && named.path !== chosen) void read(named.path, null);
  }, [wanted]);
  const choose = (path: string | undefined): void => {
    if (path === undefined) return;
    addStep();
    state.file.value = path;
  };
  const step = (by: 1 | -1): void => {
    const all = shown.value.files ?? [];
    choose(all[all.findIndex(({ path }) => path === shown.value.chosen) + by]?.path);
  };
  useKeys({ j: () => step(1), k: () => step(-1) });
  const { files, chosen, changes, net, nextAfter, failure } = shown.value;
  const print = useFilesPrint(state, files);
  if (failure !== null) return <main class="page-body notice bad">{failure}</main>;
  if (files === null)
    return (
      <main class="page-body">{state.reading.value === null ? "Reading…" : `${readingWords(state)}.`}</main>
    );
  if (files.length === 0) return <main class="page-body dim">This session changed no file.</main>;
  if (isPrinting.value && print.files.value.length > 0) return <PrintedFiles print={print} state={state} />;
  return (
    <div class="split">
      <nav class="rail" aria-label="Files">
        <ul class="file-list">
          {files.map(({ path, added, removed }) => (
            <li key={path}>
              <button
                type="button"
                class="choice"
                aria-pressed={path === chosen}
                title={visibleLine(path)}
                onClick={() => choose(path)}
              >
                <bdi>{fileName(path)}</bdi>
                <Counts added={added} removed={removed} />
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <main class="scroller file-changes" aria-label="Changes">
        <FileHead chosen={chosen} state={state}>
          <PrintButton print={print} total={files.length} />
        </FileHead>
        <NotPrinted total={files.length} />
        <FileDiff changes={changes} net={net} path={chosen ?? ""} state={state} />
        {nextAfter === null || chosen === null || (state.diff.value.net && net !== null) ? null : (
          <button type="button" onClick={() => void read(chosen, nextAfter)}>
            More changes
          </button>
        )}
      </main>
    </div>
  );
}

interface FileHeadProps {
  readonly chosen: string | null;
  readonly state: SessionState;
  readonly children: ComponentChildren;
}

function FileHead({ chosen, state, children }: FileHeadProps): VNode {
  return (
    <h2 class="path">
      <bdi>{visibleLine(chosen ?? "")}</bdi>{" "}
      <button
        type="button"
        class="quiet"
        onClick={(event) => void copyText(chosen ?? "", event.currentTarget)}
      >
        Copy the path
      </button>{" "}
      {isSaved() || chosen === null ? null : (
        <a class="quiet-link" href={fileLink(fromRoot(chosen, state.head.value?.session.cwd ?? null))}>
          Who wrote each line
        </a>
      )}{" "}
      {children}
    </h2>
  );
}

function Counts({ added, removed }: { added: number; removed: number }): VNode {
  return (
    <span class="counts" aria-label={`${counted(added, "line")} added, ${removed} removed`} role="img">
      <span class="ins">+{added}</span> <span class="del">−{removed}</span>
    </span>
  );
}

function fromRoot(path: string, folder: string | null): string {
  return folder === null || /^(?:\/|[A-Za-z]:|\\\\)/u.test(path) ? path : `${folder}/${path}`;
}

function fileName(path: string): string {
  return visibleLine(path.split("/").slice(-2).join("/"));
}
