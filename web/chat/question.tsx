/** A question for permission: the whole request, and the answers. */

import type { PermissionOption } from "@continuo/core/model";
import { visibleLine, visibleText } from "@continuo/core/transcript";
import { changesToHtml } from "@continuo/core/transcript/html";
import { CHAT_LIMITS, type ChatQuestion } from "@continuo/core/wire/machine";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Html } from "../content/html.tsx";
import { clock, counted } from "../content/words.ts";
import { keyHint, useKeys } from "../shell/keys.ts";
import { isLost } from "../state/server.ts";
import type { ChatClient } from "./chat-client.ts";

/** The question contains shorter names; a longer name is shown completely below it. */
const MAX_NAME_CHARS = 40;

interface QuestionProps {
  readonly question: ChatQuestion;
  readonly chat: Pick<ChatClient, "answer">;
  readonly isReadOnly: boolean;
  /** True if only answers that count once are allowed. */
  readonly isOnce?: boolean;
  /** False for all questions except the first. */
  readonly hasKeys?: boolean;
}

export function Question({
  question,
  chat,
  isReadOnly,
  isOnce = false,
  hasKeys = true,
}: QuestionProps): VNode {
  const { approvalId, title, toolName, until, options, readsReason } = question;
  const allow = useRef<HTMLButtonElement>(null);
  const deny = useRef<HTMLButtonElement>(null);
  const reason = useSignal("");
  // The keys only move the focus to an answer; Enter or a click selects it.
  useKeys(hasKeys ? { y: () => allow.current?.focus(), n: () => deny.current?.focus() } : {});
  useLayoutEffect(() => {
    // A focused field would receive the keys. A field in which the person has begun to write keeps the focus.
    const { activeElement } = document;
    if (activeElement instanceof HTMLTextAreaElement && activeElement.value === "") activeElement.blur();
  }, []);
  const id = `question-${approvalId}`;
  const answer = (outcome: "granted" | "denied", option?: PermissionOption): void => {
    const why = outcome === "denied" && reason.value.trim() !== "" ? { reason: reason.value.trim() } : {};
    void chat.answer(question, { outcome, ...(option === undefined ? {} : { optionId: option.id }), ...why });
  };
  const lasting = isOnce
    ? []
    : options.filter(({ kind }) => kind === "allow_always" || kind === "reject_always");
  const named = visibleLine(toolName === "" ? title : toolName);
  const name = named === "" || named.length > MAX_NAME_CHARS ? "this" : named;
  const rest = [...new Set([toolName, title])].filter((text) => text !== "" && text !== name).join("\n");
  const canAllow = question.content !== null;
  return (
    <section class="asked-permission" aria-labelledby={id}>
      <h2 id={id}>
        Allow <bdi>{name}</bdi>?{rest === "" ? null : <bdi class="asked-title">{visibleText(rest)}</bdi>}
      </h2>
      {question.mayHaveRun ? (
        <p class="notice">
          The same call was allowed in an earlier turn that was cut off: it may already have run.
        </p>
      ) : null}
      <Request question={question} />
      {isReadOnly ? null : (
        <fieldset class="answers bare" disabled={isLost.value}>
          {canAllow ? (
            <button
              ref={allow}
              type="button"
              class="primary"
              {...keyHint("y")}
              onClick={() => answer("granted")}
            >
              Allow once
            </button>
          ) : null}
          <button ref={deny} type="button" {...keyHint("n")} onClick={() => answer("denied")}>
            Deny
          </button>
          {lasting
            .filter(({ kind }) => canAllow || kind === "reject_always")
            .map((option) => (
              <button
                key={option.id}
                type="button"
                onClick={() => answer(option.kind === "allow_always" ? "granted" : "denied", option)}
              >
                {option.kind === "allow_always" ? "Allow from now on: " : "Deny from now on: "}
                <bdi>{visibleLine(option.name)}</bdi>
              </button>
            ))}
          {question.moreOptions === undefined || isOnce ? null : (
            <span class="dim">A terminal offers {counted(question.moreOptions, "more answer")}.</span>
          )}
          {readsReason ? (
            <input
              type="text"
              aria-label="Why not"
              placeholder="Why not"
              maxLength={CHAT_LIMITS.reasonChars}
              value={reason.value}
              onInput={(event) => {
                reason.value = event.currentTarget.value;
              }}
            />
          ) : null}
          <span class="dim">Without an answer, it is denied at {clock(until)}.</span>
        </fieldset>
      )}
    </section>
  );
}

/** Shows differences if the request changes files, and every field of the request. */
function Request({ question: { input, content } }: { question: ChatQuestion }): VNode | null {
  if (content === null) {
    return (
      <p class="notice bad">
        The request is too long to be shown here: it can only be denied, or answered in a terminal.
      </p>
    );
  }
  const changes = changesToHtml(input, content);
  const fields = [...fieldsOf(input), ...(content.length === 0 ? [] : fieldsOf({ content }))];
  const all = (
    <dl>
      {fields.map(([name, text]) => (
        <div key={name}>
          <dt>{visibleLine(name)}</dt>
          <dd>{visibleText(text)}</dd>
        </div>
      ))}
    </dl>
  );
  if (changes === "" && fields.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard.
    <section class="request" tabIndex={0} aria-label="What is asked for">
      {changes === "" ? all : <Html class="body" html={changes} />}
      {changes === "" ? null : (
        <details>
          <summary>Whole request</summary>
          {all}
        </details>
      )}
    </section>
  );
}

function fieldsOf(input: unknown): readonly (readonly [string, string])[] {
  if (input === null || input === undefined) return [];
  if (typeof input !== "object" || Array.isArray(input)) return [["input", toText(input)]];
  return Object.entries(input).map(([name, value]) => [name, toText(value)]);
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
