/** A file with the turns that wrote it: the lines of one turn are together, below its prompt. */

import { visibleLine } from "@continuo/core/transcript";
import { type FileBlameAnswer, MACHINE_ROOT } from "@continuo/core/wire/machine";
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { ErrorText } from "../content/error-text.tsx";
import { agentName, counted, dateAndClock } from "../content/words.ts";
import { sessionLink } from "../shell/route.ts";
import { ask, sayError } from "../state/server.ts";

interface BlameState {
  readonly blame: FileBlameAnswer | null;
  readonly failure: string | null;
}

export function BlamePage({ path }: { path: string }): VNode {
  const shown = useMemo(() => signal<BlameState>({ blame: null, failure: null }), [path]);
  useEffect(() => {
    const stop = new AbortController();
    document.title = `${fileName(path)} · Continuo`;
    void ask<FileBlameAnswer>(`${MACHINE_ROOT}/files?path=${encodeURIComponent(path)}`, {
      signal: stop.signal,
    }).then(
      (blame) => {
        shown.value = { blame, failure: null };
      },
      (error: unknown) => {
        if (!stop.signal.aborted) shown.value = { blame: null, failure: sayError(error) };
      },
    );
    return () => stop.abort();
  }, [path]);
  const { blame, failure } = shown.value;
  return (
    <main class="scroller page-body blame" aria-busy={blame === null && failure === null}>
      <h1>
        <bdi>{visibleLine(fileName(path))}</bdi>
      </h1>
      <p class="dim">
        <bdi>{visibleLine(path)}</bdi>
      </p>
      {failure === null ? null : (
        <p class="notice bad" role="alert">
          <ErrorText text={failure} />
        </p>
      )}
      {blame === null ? (
        failure === null ? (
          <p class="dim">Searching the sessions…</p>
        ) : null
      ) : (
        <Blame blame={blame} />
      )}
    </main>
  );
}

function Blame({ blame }: { blame: FileBlameAnswer }): VNode {
  const { sessions, edits, formerPaths, left } = blame;
  const missing = left.sessions + left.unreadable + left.unsearched;
  return (
    <>
      <p class="dim">
        {counted(edits, "edit")} in {counted(sessions, "session")}
        {formerPaths.length === 0 ? "" : `, before as ${formerPaths.map(visibleLine).join(", ")}`}
      </p>
      {missing === 0 ? null : (
        <p class="notice bad">
          {counted(missing, "session")} were not searched or read: their lines have no turn here.
        </p>
      )}
      {runsOf(blame).map((run) => (
        <Run key={run[0]?.line} run={run} blame={blame} />
      ))}
    </>
  );
}

type Line = FileBlameAnswer["lines"][number];

/** Consecutive lines that one turn wrote. */
function runsOf({ lines }: FileBlameAnswer): readonly (readonly Line[])[] {
  const runs: Line[][] = [];
  for (const line of lines) {
    const run = runs.at(-1);
    if (run !== undefined && run[0]?.origin === line.origin) run.push(line);
    else runs.push([line]);
  }
  return runs;
}

function Run({ run, blame }: { run: readonly Line[]; blame: FileBlameAnswer }): VNode {
  const [first] = run;
  const last = run.at(-1);
  const origin = first?.origin == null ? undefined : blame.origins[first.origin];
  const range = first?.line === last?.line ? `Line ${first?.line}` : `Lines ${first?.line} to ${last?.line}`;
  if (origin === undefined)
    return (
      <p class="blame-hand dim">
        {range}: no session wrote {run.length === 1 ? "it" : "them"}
      </p>
    );
  const { agent, key, turn, branch, at, prompt } = origin;
  const place = key === null ? null : sessionLink(key, `turn/${turn}`);
  const link = place === null || branch === null ? place : `${place}?branch=${encodeURIComponent(branch)}`;
  const others = new Set(run.flatMap((line) => [...line.others, ...line.earlier]));
  return (
    <section class="blame-run" aria-label={range}>
      <p class="blame-head">
        {link === null ? <span>turn {turn}</span> : <a href={link}>turn {turn}</a>}{" "}
        <bdi>{prompt ?? "without a prompt"}</bdi>{" "}
        <span class="dim">
          {agentName(agent)}, {dateAndClock(at)}
          {others.size === 0 ? "" : `, after ${counted(others.size, "earlier turn")}`}
        </span>
      </p>
      <pre class="blame-lines">
        {run.map(({ line, text }) => (
          <span key={line} data-line={line}>
            {visibleLine(text ?? "")}
            {"\n"}
          </span>
        ))}
      </pre>
    </section>
  );
}

function fileName(path: string): string {
  return path.split(/[\\/]/u).at(-1) ?? path;
}
