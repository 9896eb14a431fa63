/** The part below the turns: the running turn, waiting prompts, questions, and the next prompt. */

import { visibleLine } from "@continuo/core/transcript";
import {
  CHAT_LIMITS,
  type ChatRun,
  type ChatState,
  type FolderFiles,
  MACHINE_ROOT,
  ONLY_ANSWERS,
} from "@continuo/core/wire/machine";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useCallback, useEffect, useMemo } from "preact/hooks";
import { ErrorText } from "../content/error-text.tsx";
import { agentName } from "../content/words.ts";
import { ComposerForm } from "../parts/composer-form.tsx";
import type { SessionState } from "../session/session-state.ts";
import { keyHint, useKeys } from "../shell/keys.ts";
import { ask, isLost } from "../state/server.ts";
import { ChatClient } from "./chat-client.ts";
import { isTypedOn, useDraft } from "./draft.ts";
import { Question } from "./question.tsx";
import { THIS_PAGE } from "./this-page.ts";

export function ChatDock({ state: session }: { state: SessionState }): VNode | null {
  const chat = useMemo(() => new ChatClient(session), [session]);
  useEffect(() => chat.follow(), [chat]);
  const state = chat.state.value;
  if (state === null || session.view.value === "model") return null;
  const { running, waiting, questions, unanswered, readOnly } = state;
  return (
    <section class="dock" aria-label="Continue this session">
      <div class="dock-body">
        {running === null && readOnly === null
          ? unanswered
              .slice(-2)
              .map((run) => <Unanswered key={run.runId} run={run} chat={chat} state={state} />)
          : null}
        {questions.map((question) => (
          <Question
            key={question.approvalId}
            question={question}
            chat={chat}
            isReadOnly={readOnly !== null && readOnly !== ONLY_ANSWERS}
            isOnce={readOnly === ONLY_ANSWERS}
          />
        ))}
        {running === null ? null : <Working run={running} chat={chat} state={state} />}
        {questions.length > 0 ? null : <Answered state={state} />}
        {waiting.map((run) => (
          <p key={run.runId} class="dock-line">
            <span class="dim">Next</span>
            <bdi class="words">{visibleLine(run.text)}</bdi>
            {readOnly === null ? (
              <button
                type="button"
                class="quiet"
                disabled={isLost.value}
                onClick={() => void chat.cancel(run.runId)}
              >
                Take back
              </button>
            ) : null}
          </p>
        ))}
        {chat.failure.value === null ? null : (
          <p class="notice bad" role="alert">
            <ErrorText text={chat.failure.value} />
          </p>
        )}
        {readOnly === null ? (
          <Composer chat={chat} state={state} />
        ) : (
          <p class="notice read-only">{sentence(readOnly)}</p>
        )}
      </div>
    </section>
  );
}

const ENDED: Readonly<Record<string, string>> = {
  failed: "Failed",
  cancelled: "Cancelled",
  timeout: "Timed out",
  interrupted: "Interrupted",
};

interface RunProps {
  readonly run: ChatRun;
  readonly chat: ChatClient;
  readonly state: ChatState;
}

function Unanswered({ run, chat, state }: RunProps): VNode {
  const again = (): void => void chat.say(run.text, run.agent ?? state.agent);
  return (
    <p class="dock-line">
      <span class="bad">{ENDED[run.status] ?? run.status}</span>
      <bdi class="words">{visibleLine(run.text)}</bdi>
      {run.message === null ? null : <span class="dim why">{whyIn(run.message)}</span>}
      {run.isPart === true ? null : (
        <button type="button" class="quiet" disabled={chat.isSending.value || isLost.value} onClick={again}>
          Ask again
        </button>
      )}
    </p>
  );
}

function Working({ run, chat, state }: RunProps): VNode {
  const { questions, readOnly } = state;
  const who = agentName(run.agent ?? state.agent);
  const cancel = (): unknown => (readOnly === null && !isLost.value ? void chat.cancel(run.runId) : false);
  // In a field, Escape has another meaning. While the agent asks, Escape is too close to the keys of the answers.
  const asks = questions.length > 0;
  useKeys({ Escape: ({ target }) => (asks || target instanceof HTMLInputElement ? false : cancel()) });
  return (
    <p class="dock-line" role="status">
      <span class={questions.length > 0 ? "beat asks" : "beat"} aria-hidden="true" />
      <span>{questions.length > 0 ? `${who} asks for permission` : `${who} works`}</span>
      {readOnly === null ? (
        <button type="button" class="quiet" {...keyHint("Escape")} disabled={isLost.value} onClick={cancel}>
          {asks ? "Cancel the turn" : "Cancel"}
        </button>
      ) : null}
    </p>
  );
}

/** The page whose answer counted. */
function Answered({ state: { answered } }: { state: ChatState }): VNode | null {
  const newest = answered.at(-1);
  if (newest === undefined) return null;
  const who = newest.page.id === THIS_PAGE.id ? "you" : visibleLine(newest.page.name);
  return (
    <p class="dock-line answered dim">
      {newest.outcome === "granted" ? "Allowed" : "Denied"} by {who}
    </p>
  );
}

function Composer({ chat, state }: { chat: ChatClient; state: ChatState }): VNode {
  const chosen = useSignal<string | null>(null);
  const text = useDraft(chat.session.key);
  const isBusy = state.running !== null || state.waiting.length > 0;
  const agent = isBusy ? state.agent : (chosen.value ?? state.agent);
  const agents = [...new Set([state.agent, ...state.agents])];
  const { key } = chat.session;
  const filesOf = useCallback(
    async (words: string, signal: AbortSignal) => {
      const path = `${MACHINE_ROOT}/chats/files?${new URLSearchParams({ key, words })}`;
      return (await ask<FolderFiles>(path, { signal })).files;
    },
    [key],
  );
  const send = async (words: string): Promise<boolean> => {
    if (chat.isSending.value || !(await chat.say(words, agent))) return false;
    chosen.value = null;
    return true;
  };
  return (
    <ComposerForm
      text={text}
      takesFocus={isTypedOn(key)}
      label="Prompt"
      placeholder={isBusy ? "What comes next" : `Ask ${agentName(agent)}`}
      maxLength={CHAT_LIMITS.promptChars}
      mentions={{ filesOf }}
      send={send}
    >
      <select
        aria-label="Agent"
        value={agent}
        disabled={isBusy}
        title={isBusy ? "The agent can be changed when no turn runs" : undefined}
        onChange={(event) => {
          chosen.value = event.currentTarget.value;
        }}
      >
        {agents.map((name) => (
          <option key={name} value={name}>
            {agentName(name)}
          </option>
        ))}
      </select>
      <span class="dim hint">
        <kbd>Enter</kbd> {isBusy ? "queues" : "sends"} <kbd>Shift Enter</kbd> new line
      </span>
      <button
        type="submit"
        class="primary"
        disabled={chat.isSending.value || isLost.value || text.value.trim() === ""}
      >
        {isBusy ? "Queue" : "Send"}
      </button>
    </ComposerForm>
  );
}

/** The reason why a turn ended. The library's own message would not be clear to the person who stopped the turn. */
function whyIn(message: string): string {
  return /the caller's signal/u.test(message) ? "it was stopped" : visibleLine(message);
}

function sentence(text: string): string {
  const line = visibleLine(text);
  return `${line.charAt(0).toUpperCase()}${line.slice(1)}${line.endsWith(".") ? "" : "."}`;
}
