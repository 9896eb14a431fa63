/** The lines of a session, each by its kind. */

import { cutText } from "@continuo/core/model";
import { messageKind, visibleLine } from "@continuo/core/transcript";
import { CUT_OFF_NOTE, callToHtml, isCutOff, resultToHtml, turnTitle } from "@continuo/core/transcript/html";
import type { WindowMessage } from "@continuo/core/wire/machine";
import { useComputed } from "@preact/signals";
import type { VNode } from "preact";
import { Block, WholeMessage } from "../content/block.tsx";
import { copyText } from "../content/copy.ts";
import { Html } from "../content/html.tsx";
import { titleText } from "../content/title.ts";
import { clock, cost, dateAndClock, duration, tokens } from "../content/words.ts";
import { sessionLink } from "../shell/route.ts";
import { messagesOf, type Row } from "../state/history.ts";
import { isSaved } from "../state/server.ts";
import type { ConversationView } from "./conversation.tsx";
import { injectedWords } from "./injected.ts";
import { isPrinting } from "./printing.ts";
import type { SessionState } from "./session-state.ts";

type BlockRow = Extract<Row, { type: "text" | "thinking" | "media" | "result" | "unknown" }>;

interface RowProps<Shape = Row> {
  readonly row: Shape;
  readonly state: SessionState;
  readonly shown: ConversationView;
}

export function RowView({ row, state, shown }: RowProps): VNode {
  switch (row.type) {
    case "question":
      return <Question row={row} state={state} shown={shown} />;
    case "text":
      return <Said row={row} state={state} shown={shown} />;
    case "thinking":
      return <Thinking row={row} state={state} shown={shown} />;
    case "call":
      return <Call row={row} state={state} shown={shown} />;
    case "whole":
      return <Whole row={row} state={state} shown={shown} />;
    case "foot":
      return <Foot row={row} state={state} shown={shown} />;
    case "seen":
      return <p class="seen-mark">The model no longer sees what is above</p>;
    case "result":
      return <Result row={row} state={state} shown={shown} />;
    case "media":
    case "unknown":
      return <Block class="body" message={row.at.message} index={row.index} />;
  }
}

function Question({ row: { at }, state }: RowProps<Extract<Row, { type: "question" }>>): VNode {
  const { message, turn } = at;
  return (
    <div class="question">
      <h2>
        {turn === null || turn < 0 ? (
          <span class="hidden-text">Question</span>
        ) : (
          <a class="number" href={state.link(`turn/${turn}`)} title="Link to this turn">
            <span class="hidden-text">Turn </span>
            {turn}
            <span class="hidden-text">: {titleText(turnTitle(message), "without a question")}</span>
          </a>
        )}
      </h2>
      <div class={isShort(message) ? "asked short" : "asked"}>
        <Block class="prose words" message={message} />
        {message.content.map((_, index) => (
          <Cuts key={index} at={at} index={index} state={state} />
        ))}
      </div>
      <time dateTime={message.timestamp} title={dateAndClock(message.timestamp ?? null)}>
        {clock(message.timestamp ?? null)}
      </time>
    </div>
  );
}

const SHORT_CHARS = 280;
const SHORT_LINES = 4;

function isShort({ content }: WindowMessage["message"]): boolean {
  const texts = content.map((block) => (block.type === "text" ? block.text.trim() : ""));
  const text = texts.join("\n").slice(0, SHORT_CHARS + 1);
  return text.length <= SHORT_CHARS && text.split("\n").length <= SHORT_LINES;
}

/** The text of an unfinished message: a token changes only the text node. */
function Saying({ state }: { state: SessionState }): VNode {
  const words = useComputed(() => state.openText.value?.text ?? "");
  return (
    <div class="said">
      <p class="saying">{words}</p>
    </div>
  );
}

function Said({ row: { at, index }, state }: RowProps<BlockRow>): VNode {
  const block = at.message.content[index];
  const isLast = index === at.message.content.length - 1;
  const isOpen = useComputed(() => {
    const open = state.openText.value;
    return open !== null && open.sequence === at.message.metadata.sequence && open.block === index;
  });
  if (isOpen.value) return <Saying state={state} />;
  return (
    <div class="said">
      <Block class="prose" message={at.message} index={index} />
      <Cuts at={at} index={index} state={state} />
      {isLast && isCutOff(at.message) ? <p class="note">{CUT_OFF_NOTE}</p> : null}
      <button
        type="button"
        class="copy"
        aria-label="Copy this message"
        onClick={(event) => void copyText(block?.type === "text" ? block.text : "", event.currentTarget)}
      >
        Copy
      </button>
    </div>
  );
}

interface CutsProps {
  readonly at: WindowMessage | null;
  /** The block that has the texts. */
  readonly index: number;
  readonly state: SessionState;
}

/** The shortened texts of a block, each with a button that shows the rest. */
function Cuts({ at, index, state }: CutsProps): VNode | null {
  const cuts = at?.cuts.filter(({ path }) => `${path}/`.startsWith(`content/${index}/`)) ?? [];
  if (at === null || cuts.length === 0) return null;
  return (
    <>
      {cuts.map((cut) => (
        <p key={cut.path} class="note cut">
          {cut.kept.toLocaleString("en")} of {cut.total.toLocaleString("en")} characters{" "}
          <button type="button" class="quiet" onClick={() => void state.showRest(at, cut)}>
            Show more
          </button>
        </p>
      ))}
    </>
  );
}

function Thinking({ row: { key, at, index }, state, shown }: RowProps<BlockRow>): VNode {
  const block = at.message.content[index];
  const text = block?.type === "thinking" ? block.text : "";
  if (text === "") return <p class="note">Thinking, hidden by the vendor</p>;
  const isOpen = shown.folds.value.get(key) ?? shown.thinking.value;
  return (
    <>
      <FoldButton id={key} isOpen={isOpen} shown={shown} class="thinking-line">
        <span class="name">Thinking</span>
        {isOpen ? null : <bdi class="argument">{visibleLine(text.slice(0, 200)).replaceAll("␊", " ")}</bdi>}
      </FoldButton>
      {isOpen ? <Block class="body thought" message={at.message} index={index} /> : null}
      {isOpen ? <Cuts at={at} index={index} state={state} /> : null}
    </>
  );
}

function Call({
  row: { key, at, index, result, resultAt, endsLater },
  state,
  shown,
}: RowProps<Extract<Row, { type: "call" }>>): VNode | null {
  const block = at.message.content[index];
  if (block?.type !== "tool_call") return null;
  const { kind, name, argument, status, outcome, body, isOpen } = callToHtml(block, result, "served");
  const opened = shown.folds.value.get(key) ?? (isOpen || (kind === "edit" && isPrinting.value));
  const child = state.head.value?.subagents.find(
    ({ id, toolCallId }) =>
      toolCallId === block.id || (block.childSessionId !== undefined && id === block.childSessionId),
  );
  return (
    <div class={`call-row kind-${kind}`}>
      <FoldButton id={key} isOpen={opened} shown={shown} class="call-line">
        <span class="name">{name}</span>
        {argument === "" ? null : <bdi class="argument">{inFolder(argument, state)}</bdi>}
        {status === "ok" ? null : (
          <span class={`outcome ${status === "running" ? "" : "bad"}`}>
            {status === "running" && !endsLater && !mayRun(at, state) ? "no result was recorded" : status}
          </span>
        )}
        {outcome === "" ? null : <span class="outcome">{outcome}</span>}
      </FoldButton>
      {child === undefined ? null : (
        <a class="child" href={sessionLink(child.key)}>
          Open the sub-agent
        </a>
      )}
      {opened ? <Html class="body" html={body()} /> : null}
      {opened ? <Cuts at={at} index={index} state={state} /> : null}
      {opened ? <Cuts at={resultAt} index={0} state={state} /> : null}
    </div>
  );
}

/** An agent whose program is not known to be open may still work, but then it writes something within this time. */
const SILENT_MS = 3_600_000;

/**
 * Returns false if the call can no longer be running: it comes before the last turn, the page is a saved session, or
 * the session was silent for too long.
 */
function mayRun({ turn }: WindowMessage, { head, turns }: SessionState): boolean {
  const last = turns.value.turns.at(-1)?.number;
  const isBefore = turn !== null && last !== undefined && turn < last;
  if (isBefore || isSaved()) return false;
  const session = head.value?.session;
  if (session === undefined || session.live === true || session.updatedAt === null) return true;
  return Date.now() - Date.parse(session.updatedAt) < SILENT_MS;
}

/** Shortens a path below the session's folder. */
function inFolder(argument: string, { head }: SessionState): string {
  const cwd = head.value?.session.cwd ?? null;
  return cwd !== null && argument.startsWith(`${cwd}/`) ? argument.slice(cwd.length + 1) : argument;
}

function Result({ row: { key, at, index }, state, shown }: RowProps<BlockRow>): VNode | null {
  const block = at.message.content[index];
  if (block?.type !== "tool_result") return <Block class="body" message={at.message} index={index} />;
  const isOpen = shown.folds.value.get(key) ?? false;
  return (
    <>
      <FoldButton id={key} isOpen={isOpen} shown={shown} class="call-line">
        <span class="name">Result</span>
        <span class="argument">
          {at.message.toolName === undefined ? "" : visibleLine(at.message.toolName)}
        </span>
      </FoldButton>
      {isOpen ? <Html class="body" html={resultToHtml(block, "served")} /> : null}
      {isOpen ? <Cuts at={at} index={index} state={state} /> : null}
    </>
  );
}

const WHOLE: Readonly<Record<string, string>> = {
  summary: "Compacted: this summary stands for what came before",
  error: "Error",
  injected: "Injected for the model",
};

/** Messages that are neither question nor answer: summaries, errors, and messages that the agent's program inserted. */
function Whole({ row, shown }: RowProps<Extract<Row, { type: "whole" }>>): VNode {
  const messages = messagesOf(row).map(({ message }) => message);
  const kind = messageKind(row.at.message);
  const isOpen = shown.folds.value.get(row.key) ?? kind === "error";
  const hint = kind === "injected" ? injectedWords(messages) : beginningOf(row.at.message);
  return (
    <div class={`whole-row ${kind}`}>
      <FoldButton id={row.key} isOpen={isOpen} shown={shown} class="whole-line">
        <span class="name">{WHOLE[kind] ?? kind}</span>
        {isOpen ? null : <bdi class="argument">{hint}</bdi>}
      </FoldButton>
      {isOpen ? messages.map((message) => <WholeMessage key={message.id} message={message} />) : null}
    </div>
  );
}

/** Returns the first words, so that a reader can decide whether to open the message. */
function beginningOf({ content }: WindowMessage["message"]): string {
  const first = content.find((block) => block.type === "text" && block.text.trim() !== "");
  const text = first?.type === "text" ? cutText(first.text.trim(), 200) : "";
  return visibleLine(text).replaceAll("␊", " ");
}

function Foot({ row: { turn } }: RowProps<Extract<Row, { type: "foot" }>>): VNode {
  const facts = [
    turn.models.map(visibleLine).join(", "),
    `${tokens(turn.tokens)} tokens`,
    turn.costUsd === null ? "" : cost(turn.costUsd),
    duration(turn.at, turn.endedAt),
  ];
  return <p class="turn-foot">{facts.filter((fact) => fact !== "").join(" · ")}</p>;
}

interface FoldProps {
  readonly id: string;
  readonly isOpen: boolean;
  readonly shown: ConversationView;
  readonly class: string;
  readonly children: unknown;
}

function FoldButton({ id, isOpen, shown, class: name, children }: FoldProps): VNode {
  return (
    <button
      type="button"
      class={`fold ${name}`}
      aria-expanded={isOpen}
      onClick={() => {
        shown.folds.value = new Map(shown.folds.value).set(id, !isOpen);
      }}
    >
      {children as VNode}
    </button>
  );
}
