/** Messages that this client has in progress: deltas are gathered, and the end holds the whole text. */

import { type Block, ContinuoError } from "../model/index.ts";
import { LIMITS } from "./limits.ts";
import type { Request } from "./link.ts";

interface OpenMessage {
  text: string;
  /** The text that was not sent yet. */
  gathered: string;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** Settles with the gathered deltas. */
  sent: PromiseWithResolvers<void> | undefined;
}

export class Writer {
  readonly #request: (request: Request) => Promise<unknown>;
  readonly #newId: () => string;
  readonly #open = new Map<string, OpenMessage>();

  constructor(request: (request: Request) => Promise<unknown>, newId: () => string) {
    this.#request = request;
    this.#newId = newId;
  }

  opened(messageId: string, text: string): void {
    this.#open.set(messageId, { text, gathered: "", timer: undefined, sent: undefined });
  }

  /** Resolves when the delta is stored. Errors: `conflict` for a message that is not in progress. */
  append(messageId: string, delta: string): Promise<void> {
    const message = this.#open.get(messageId);
    if (message === undefined) return Promise.reject(notOpen(messageId));
    message.text += delta;
    message.gathered += delta;
    message.sent ??= Promise.withResolvers();
    const { promise } = message.sent;
    if (message.gathered.length >= LIMITS.deltaLength) this.#flush(messageId, message);
    else message.timer ??= setTimeout(() => this.#flush(messageId, message), LIMITS.deltaMs);
    return promise;
  }

  async replace(messageId: string, content: string): Promise<void> {
    const message = this.#open.get(messageId);
    if (message === undefined) throw notOpen(messageId);
    this.#flush(messageId, message);
    message.text = content;
    await this.#request({ type: "replace", id: this.#newId(), messageId, content });
  }

  /** @param blocks in place of the text */
  async complete(messageId: string, blocks?: readonly Block[]): Promise<void> {
    const message = this.#open.get(messageId);
    if (message === undefined) throw notOpen(messageId);
    this.#flush(messageId, message);
    this.#open.delete(messageId);
    const content = blocks ?? message.text;
    await this.#request({ type: "complete", id: this.#newId(), messageId, content });
  }

  /** Call it when the server has ended the message. */
  interrupted(messageId: string): void {
    const message = this.#open.get(messageId);
    if (message === undefined) return;
    clearTimeout(message.timer);
    message.sent?.reject(notOpen(messageId));
    this.#open.delete(messageId);
  }

  flushAll(): void {
    for (const [messageId, message] of this.#open) this.#flush(messageId, message);
  }

  #flush(messageId: string, message: OpenMessage): void {
    clearTimeout(message.timer);
    const { gathered, sent } = message;
    message.timer = undefined;
    message.sent = undefined;
    message.gathered = "";
    if (gathered === "" && sent === undefined) return;
    this.#request({ type: "append", id: this.#newId(), messageId, delta: gathered }).then(
      () => sent?.resolve(),
      (error: unknown) => sent?.reject(error),
    );
  }
}

function notOpen(messageId: string): ContinuoError {
  return new ContinuoError("conflict", `the message ${messageId} is not in progress`, {
    hint: "Open a message with openMessage(), and end it once with complete().",
    details: { messageId },
  });
}
