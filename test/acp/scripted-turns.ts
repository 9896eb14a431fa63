/**
 * The turns of the scripted agent in version 2: a prompt is answered at once with the id of its message, one turn of a
 * session follows the other, and each says when it runs, waits for an answer, and ends.
 */

import type { Json } from "./script.ts";
import type { ScriptedSessions } from "./scripted-sessions.ts";

export interface TurnParts {
  readonly sessions: ScriptedSessions;
  send(message: Json): Promise<void>;
  request(method: string, params: Json): { readonly id: number; readonly answer: Promise<Json> };
}

export interface PromptToAnswer {
  readonly id: unknown;
  readonly sessionId: string;
  readonly content: readonly Json[];
}

export class ScriptedTurns {
  readonly #parts: TurnParts;
  readonly #last = new Map<string, Promise<void>>();
  #count = 0;

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  /** @param run does the steps of the turn */
  async begin(
    { id, sessionId, content }: PromptToAnswer,
    run: (turn: ScriptedTurn) => Promise<void>,
  ): Promise<void> {
    const { sessions, send } = this.#parts;
    if (!sessions.isOpen(sessionId)) {
      await send({ id, error: { code: -32_002, message: `there is no session ${sessionId}` } });
      return;
    }
    this.#count += 1;
    const turn = new ScriptedTurn(this.#parts, { sessionId, number: this.#count });
    const before = this.#last.get(sessionId);
    const done = send({ id, result: { messageId: turn.messageId } })
      .then(() => before)
      .then(async () => {
        await turn.update({ sessionUpdate: "user_message", messageId: turn.messageId, content });
        await turn.state("running");
        await run(turn);
      });
    this.#last.set(sessionId, done);
    await done;
  }
}

export class ScriptedTurn {
  readonly #parts: TurnParts;
  readonly #sessionId: string;
  readonly #number: number;
  #isOver = false;

  constructor(
    parts: TurnParts,
    { sessionId, number }: { readonly sessionId: string; readonly number: number },
  ) {
    this.#parts = parts;
    this.#sessionId = sessionId;
    this.#number = number;
  }

  /** The id of the person's message. */
  get messageId(): string {
    return `prompt-${this.#number}`;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Sends an update. A part of a message without an id gets the id of the turn's only message of this kind. */
  async update(update: Json): Promise<void> {
    const isPart = /_(?:message|thought)_chunk$/u.test(String(update.sessionUpdate));
    const whole = isPart
      ? { messageId: `${String(update.sessionUpdate)}-${this.#number}`, ...update }
      : update;
    this.#parts.sessions.record(this.#sessionId, whole);
    await this.#parts.send({
      method: "session/update",
      params: { sessionId: this.#sessionId, update: whole },
    });
  }

  async state(state: string, more: Json = {}): Promise<void> {
    await this.update({ sessionUpdate: "state_update", state, ...more });
  }

  async end(stopReason: unknown): Promise<void> {
    this.#isOver = true;
    await this.state("idle", { stopReason });
  }

  /**
   * Asks for a permission. If the turn is cancelled, the agent takes the question back; if the call is denied, it does
   * not run.
   */
  async ask(question: Json): Promise<void> {
    const { sessions, send, request } = this.#parts;
    await this.state("requires_action");
    const asked = request("session/request_permission", { sessionId: this.#sessionId, ...question });
    const cancelled = new Promise<null>((done) => sessions.onCancel(this.#sessionId, () => done(null)));
    const answer = await Promise.race([asked.answer, cancelled]);
    if (answer === null) {
      await send({ method: "$/cancel_request", params: { requestId: asked.id } });
      await this.end("cancelled");
      return;
    }
    await this.state("running");
    const { outcome } = (answer.result ?? {}) as { readonly outcome?: Json };
    if (outcome?.outcome === "selected") return;
    const { toolCallId } = ((question.subject as Json).toolCall ?? {}) as Json;
    await this.update({ sessionUpdate: "tool_call_update", toolCallId, status: "cancelled" });
    await this.end("end_turn");
  }
}
