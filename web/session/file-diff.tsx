/** Shows the changes of one file: one after the other, or their combined result; in one column, or in two. */

import { visibleLine } from "@continuo/core/transcript";
import { languageAttribute, linesToHtml } from "@continuo/core/transcript/html";
import type { ChangedLine, FileChange } from "@continuo/core/wire/machine";
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { Html } from "../content/html.tsx";
import { counted } from "../content/words.ts";
import { keyHint, useKeys } from "../shell/keys.ts";
import { sessionLink } from "../shell/route.ts";
import { isSaved } from "../state/server.ts";
import { type SidesRow, sidesOf } from "../state/sides.ts";
import { LineComment } from "./line-comment.tsx";
import { addStep, type SessionState } from "./session-state.ts";

interface FileDiffProps {
  readonly changes: readonly FileChange[];
  /** `null` if there is no combined result. */
  readonly net: readonly ChangedLine[] | null;
  readonly path: string;
  readonly state: SessionState;
}

export function FileDiff({ changes, net, path, state }: FileDiffProps): VNode {
  const isNet = state.diff.value.net && net !== null;
  const place = useRef<HTMLDivElement>(null);
  useKeys({ e: () => toEdit(place.current) });
  const mayPrompt = !isSaved() && state.head.value?.readOnly === null;
  return (
    <div ref={place}>
      <div class="file-switches">
        {net === null ? null : (
          <Switch name="Net result" isOn={state.diff.value.net} onSwitch={() => switchDiff(state, "net")} />
        )}
        <Switch
          name="Side by side"
          isOn={state.diff.value.sides}
          onSwitch={() => switchDiff(state, "sides")}
        />
        {mayPrompt ? (
          <LineComment
            state={state}
            path={path}
            lines={isNet ? net : changes.flatMap(({ lines }) => lines)}
            place={place}
          />
        ) : null}
      </div>
      <ShownChanges changes={changes} net={net} path={path} state={state} />
    </div>
  );
}

/** Shows the changes in the form that the reader chose. */
export function ShownChanges({ changes, net, path, state }: FileDiffProps): VNode {
  if (state.diff.value.net && net !== null)
    return <Net lines={net} changes={changes} path={path} state={state} />;
  return (
    <>
      {changes.map((change) => (
        <Change key={`${change.messageId}:${change.index}`} change={change} path={path} state={state} />
      ))}
    </>
  );
}

/** Follows the link of the first change on the screen, or of the last one above it. */
function toEdit(diff: HTMLElement | null): unknown {
  const links = [...(diff?.querySelectorAll<HTMLElement>(".to-edit") ?? [])];
  const top = diff?.closest(".scroller")?.getBoundingClientRect().top ?? 0;
  const seen = links.find((link) => link.getBoundingClientRect().top >= top) ?? links.at(-1);
  return seen === undefined ? false : seen.click();
}

interface SwitchProps {
  readonly name: string;
  readonly isOn: boolean;
  readonly onSwitch: () => void;
}

function Switch({ name, isOn, onSwitch }: SwitchProps): VNode {
  return (
    <button type="button" class="quiet" aria-pressed={isOn} onClick={onSwitch}>
      {name}
    </button>
  );
}

function switchDiff(state: SessionState, name: "net" | "sides"): void {
  addStep();
  state.diff.value = { ...state.diff.value, [name]: !state.diff.value[name] };
}

interface NetProps {
  readonly lines: readonly ChangedLine[];
  readonly changes: readonly FileChange[];
  readonly path: string;
  readonly state: SessionState;
}

/** Shows the result of all changes together. */
function Net({ lines, changes, path, state }: NetProps): VNode {
  const turns = [...new Set(changes.map(({ turn }) => turn))];
  const last = changes.at(-1);
  return (
    <section>
      <p class="change-head">
        <span class="dim">
          {counted(changes.length, "change")} in {counted(turns.length, "turn")}, as they are at the end
        </span>{" "}
        {last === undefined ? null : <EditLink state={state} change={last} />}
      </p>
      {lines.length === 0 ? (
        <p class="dim">Nothing is left of them: each was taken back.</p>
      ) : (
        <Diff lines={lines} path={path} isSides={state.diff.value.sides} />
      )}
    </section>
  );
}

function Change({ change, path, state }: { change: FileChange; path: string; state: SessionState }): VNode {
  const { lines, tool, status } = change;
  return (
    <section>
      <p class="change-head">
        <EditLink state={state} change={change} />{" "}
        <span class="dim">
          {visibleLine(tool)}
          {status === "failed" ? ", not made" : ""}
        </span>
      </p>
      <Diff lines={lines} path={path} isSides={state.diff.value.sides} />
    </section>
  );
}

/** The call in the conversation that made the change. */
function EditLink({ state, change }: { state: SessionState; change: FileChange }): VNode {
  return (
    <a
      class="to-edit"
      href={sessionLink(state.key, `turn/${change.turn}`)}
      {...keyHint("e", "The edit in the conversation")}
      onClick={() => state.aimAt(change)}
    >
      Turn {change.turn}
    </a>
  );
}

interface DiffProps {
  readonly lines: readonly ChangedLine[];
  readonly path: string;
  readonly isSides: boolean;
}

function Diff({ lines, path, isSides }: DiffProps): VNode {
  const language = languageAttribute(path);
  if (!isSides)
    return <Html class="body" html={`<pre class="diff"${language}>${linesToHtml(lines)}</pre>`} />;
  const rows = sidesOf(lines);
  return (
    <div class="sides">
      {(["left", "right"] as const).map((side) => (
        <Html
          key={side}
          class="body"
          html={`<pre class="diff"${language}>${linesToHtml(rows.map((row) => ofSide(row, side)))}</pre>`}
        />
      ))}
    </div>
  );
}

/** Each side has the line numbers of its own file, and an empty line opposite a line that only the other side has. */
function ofSide(row: SidesRow, side: "left" | "right"): ChangedLine {
  const line = row[side];
  if (line === null) return { sign: " ", text: "", before: null, after: null };
  return side === "left" ? { ...line, after: null } : { ...line, before: null };
}
