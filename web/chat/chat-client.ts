/** The chat of a session: its state from the server, and the actions of this page. */

import {
  type AnswerRequest,
  type ChatEvent,
  type ChatQuestion,
  type ChatState,
  type PromptAnswer,
  sessionPath,
} from "@continuo/core/wire/machine";
import { batch, type Signal, signal } from "@preact/signals";
import type { SessionState } from "../session/session-state.ts";
import { sessionLink } from "../shell/route.ts";
import type { Handlers } from "../state/listen.ts";
import { foldTurnEvent, NO_RUNNING_TURN, type RunningTurn, settled } from "../state/live.ts";
import { ask, sayError } from "../state/server.ts";
import { THIS_PAGE } from "./this-page.ts";

export class ChatClient {
  readonly session: SessionState;
  readonly state: Signal<ChatState | null> = signal(null);
  /** The reason why the last action of this page failed. */
  readonly failure: Signal<string | null> = signal(null);
  readonly isSending: Signal<boolean> = signal(false);
  #live: RunningTurn = NO_RUNNING_TURN;

  constructor(session: SessionState) {
    this.session = session;
  }

  /** Uses the connection of the session, because a browser has few. The returned function ends it. */
  follow(): () => void {
    this.session.followChat(this.#handlers());
    return () => {
      this.session.followChat(null);
      this.#show(NO_RUNNING_TURN);
    };
  }

  /** Resolves to true if the prompt is stored. */
  async say(text: string, agent: string): Promise<boolean> {
    this.isSending.value = true;
    const isSent = await this.#guarded(async () => {
      const isOther = agent !== this.state.value?.agent;
      const body = { text, ...(isOther ? { agent } : {}) };
      const { key } = await ask<PromptAnswer>(this.#path("prompt"), { body });
      if (key !== this.session.key) goOn(key);
      else if (this.session.part.value.hasNewer) await this.session.showNewest();
      else this.session.goal.value = { to: "end" };
    });
    this.isSending.value = false;
    return isSent;
  }

  async cancel(runId: string): Promise<void> {
    await this.#guarded(async () => {
      await ask(this.#path("cancel"), { body: { runId } });
    });
  }

  async answer(
    { approvalId }: ChatQuestion,
    decision: Pick<AnswerRequest, "outcome" | "optionId" | "reason">,
  ): Promise<void> {
    await this.#guarded(async () => {
      await ask(this.#path("answer"), { body: { approvalId, ...decision, page: THIS_PAGE } });
    });
  }

  #path(part: string): string {
    return sessionPath(this.session.key, `chat/${part}`);
  }

  #handlers(): Handlers {
    const fold = (type: "turn" | "messages" | "token") => (data: unknown) => {
      this.#show(
        foldTurnEvent(this.#live, { type, ...(data as object) } as Parameters<typeof foldTurnEvent>[1]),
      );
    };
    return {
      turn: fold("turn"),
      messages: fold("messages"),
      token: fold("token"),
      state: (data) => {
        const { state } = data as Extract<ChatEvent, { readonly type: "state" }>;
        if (state.running === null) this.#show(settled(this.#live, this.session.part.value.messages));
        this.state.value = state;
      },
      moved: (data) => goOn((data as Extract<ChatEvent, { readonly type: "moved" }>).key),
    };
  }

  #show(live: RunningTurn): void {
    this.#live = live;
    batch(() => {
      this.session.liveMessages.value = live.messages;
      this.session.openText.value = live.open;
    });
  }

  async #guarded(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      this.failure.value = null;
      return true;
    } catch (error) {
      this.failure.value = sayError(error);
      return false;
    }
  }
}

/** Replaces the page in the history, so that going back leads to the list and not to a session under an old key. */
function goOn(key: string): void {
  location.replace(sessionLink(key));
}
