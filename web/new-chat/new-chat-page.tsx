/** A new conversation: the folder, the agent, its permissions, and the first prompt. */

import {
  CHAT_LIMITS,
  CHAT_MODES,
  type ChatMode,
  type FolderFiles,
  MACHINE_ROOT,
  type NewChatAgents,
  ONLY_READS,
  type PromptAnswer,
} from "@continuo/core/wire/machine";
import { type Signal, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useCallback, useEffect, useLayoutEffect } from "preact/hooks";
import { typeOnIn, useDraft } from "../chat/draft.ts";
import { ErrorText } from "../content/error-text.tsx";
import { agentName } from "../content/words.ts";
import { facets, listAddress, mayChange } from "../list/list-state.ts";
import { ComposerForm } from "../parts/composer-form.tsx";
import type { MentionSource } from "../parts/file-mentions.tsx";
import { useKeys } from "../shell/keys.ts";
import { route, sessionLink, writeAddress } from "../shell/route.ts";
import { ask, isAbort, isLost, ServerError, sayError } from "../state/server.ts";
import { type NewChoices, newChoicesIn, newLink } from "./new-choices.ts";

const CHATS = `${MACHINE_ROOT}/chats`;
const TYPING_MS = 250;

const MODES: Readonly<Record<ChatMode, string>> = {
  ask: "ask before a change",
  safe: "only read",
};

export function NewChatPage(): VNode {
  const choices = useSignal<NewChoices>(newChoicesIn(location.hash));
  const there = useSignal<NewChatAgents | null>(null);
  const isAsking = useSignal(true);
  const failure = useSignal<string | null>(null);
  const isSending = useSignal(false);
  const text = useDraft("new");
  const { cwd, agent: wanted, mode } = choices.value;
  const choose = (some: Partial<NewChoices>): void => {
    choices.value = { ...choices.value, ...some };
    writeAddress(newLink(choices.value));
  };
  useEffect(() => {
    document.title = "New conversation · Continuo";
    return route.subscribe(() => {
      choices.value = newChoicesIn(location.hash);
    });
  }, []);
  useAgents(cwd, { there, isAsking, failure });
  useKeys({
    u: () => {
      location.hash = listAddress();
    },
  });
  const agents = there.value?.agents ?? [];
  const agent = agentOf(there.value, wanted);
  // A page that may change something accepts the prompt before the list of agents is known.
  const isOffered = there.value !== null || (mayChange.value === true && failure.value !== ONLY_READS);
  const filesOf = useFilesOf(there.value?.cwd ?? null);
  const send = async (words: string): Promise<boolean> => {
    if (isSending.value) return false;
    isSending.value = true;
    try {
      await untilFalse(isAsking);
      const answerer = agentOf(there.value, choices.value.agent);
      if (there.value === null || answerer === null) return false;
      const body = { cwd: there.value.cwd, agent: answerer, text: words, ...(mode !== null && { mode }) };
      const { key } = await ask<PromptAnswer>(CHATS, { body });
      text.value = "";
      typeOnIn(key);
      location.replace(sessionLink(key));
      return true;
    } catch (error) {
      failure.value = sayError(error);
      return false;
    } finally {
      isSending.value = false;
    }
  };
  return (
    <main class="list-main plain-page new-chat" aria-label="New conversation">
      <h1>New conversation</h1>
      <Fields choices={choices.value} agents={agents} agent={agent} choose={choose} />
      {failure.value === null ? null : (
        <p class="notice bad" role="alert">
          <ErrorText text={failure.value} />
        </p>
      )}
      {there.value !== null && agents.length === 0 ? (
        <p class="notice">No agent is installed that could answer there.</p>
      ) : null}
      {isOffered ? (
        <ComposerForm
          text={text}
          takesFocus
          label="Prompt"
          placeholder={agent === null ? "" : `Ask ${agentName(agent)}`}
          maxLength={CHAT_LIMITS.promptChars}
          mentions={{ filesOf }}
          send={send}
        >
          <span class="dim hint">
            <kbd>@</kbd> names a file <kbd>Enter</kbd> begins <kbd>Shift Enter</kbd> new line
          </span>
          <button
            type="submit"
            class="primary"
            disabled={
              (agent === null && !isAsking.value) ||
              isSending.value ||
              isLost.value ||
              text.value.trim() === ""
            }
          >
            {isSending.value ? "Beginning…" : "Begin"}
          </button>
        </ComposerForm>
      ) : null}
    </main>
  );
}

function useFilesOf(folder: string | null): MentionSource["filesOf"] {
  return useCallback(
    async (words, signal) => {
      if (folder === null) return [];
      const path = `${CHATS}/files?${new URLSearchParams({ cwd: folder, words })}`;
      return (await ask<FolderFiles>(path, { signal })).files;
    },
    [folder],
  );
}

/** The chosen agent, if it can answer there. */
function agentOf(there: NewChatAgents | null, wanted: string | null): string | null {
  return there?.agents.includes(wanted ?? "") === true ? wanted : (there?.agent ?? null);
}

async function untilFalse(isBusy: Signal<boolean>): Promise<void> {
  let stop = (): void => undefined;
  await new Promise<void>((resolve) => {
    stop = isBusy.subscribe((busy) => {
      if (!busy) resolve();
    });
  });
  stop();
}

interface AgentsState {
  readonly there: Signal<NewChatAgents | null>;
  /** True while the answer belongs to another folder, or there is none yet. */
  readonly isAsking: Signal<boolean>;
  readonly failure: Signal<string | null>;
}

/** Requests the agents that can answer in the folder, when the person stops typing. */
function useAgents(cwd: string, { there, isAsking, failure }: AgentsState): void {
  // A prompt that is sent before the next paint must not begin in the previous folder.
  useLayoutEffect(() => {
    isAsking.value = true;
    const stop = new AbortController();
    const look = async (): Promise<void> => {
      try {
        const path = `${CHATS}/agents?${new URLSearchParams({ cwd: cwd === "" ? "~" : cwd })}`;
        there.value = await ask<NewChatAgents>(path, { signal: stop.signal });
        failure.value = null;
      } catch (error) {
        if (isAbort(error)) return;
        there.value = null;
        const isReader = error instanceof ServerError && error.code === "forbidden";
        failure.value = isReader ? ONLY_READS : sayError(error);
      }
      isAsking.value = false;
    };
    const timer = setTimeout(() => void look(), there.value === null ? 0 : TYPING_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [cwd]);
}

interface FieldsProps {
  readonly choices: NewChoices;
  readonly agents: readonly string[];
  readonly agent: string | null;
  readonly choose: (some: Partial<NewChoices>) => void;
}

function Fields({ choices: { cwd, mode }, agents, agent, choose }: FieldsProps): VNode {
  return (
    <div class="new-fields">
      <label>
        Folder{" "}
        <input
          type="text"
          class="wide"
          list="known-folders"
          spellcheck={false}
          autocomplete="off"
          placeholder="~"
          value={cwd}
          onInput={(event) => choose({ cwd: event.currentTarget.value })}
        />
      </label>
      <datalist id="known-folders">
        {facets.value.projects.map((project) => (
          <option key={project.cwd} value={project.cwd} />
        ))}
      </datalist>
      <label>
        Agent{" "}
        <select
          value={agent ?? ""}
          disabled={agents.length === 0}
          onChange={(event) => choose({ agent: event.currentTarget.value })}
        >
          {agents.map((name) => (
            <option key={name} value={name}>
              {agentName(name)}
            </option>
          ))}
        </select>
      </label>
      <label>
        Permissions{" "}
        <select
          value={mode ?? ""}
          onChange={(event) => {
            choose({ mode: CHAT_MODES.find((one) => one === event.currentTarget.value) ?? null });
          }}
        >
          <option value="">as configured</option>
          {CHAT_MODES.map((one) => (
            <option key={one} value={one}>
              {MODES[one]}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
