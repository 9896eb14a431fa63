/** A browser tab without a browser: the AI SDK's own chat, with the state that `useChat` has. */

import { AbstractChat, type ChatState, type ChatStatus, type UIMessage } from "ai";
import type { ContinuoChatTransport } from "../../packages/ai-sdk/src/index.ts";

class TabState implements ChatState<UIMessage> {
  status: ChatStatus = "ready";
  error: Error | undefined;
  messages: UIMessage[];

  constructor(messages: UIMessage[]) {
    this.messages = messages;
  }

  pushMessage = (message: UIMessage): void => {
    this.messages = [...this.messages, message];
  };

  popMessage = (): void => {
    this.messages = this.messages.slice(0, -1);
  };

  replaceMessage = (index: number, message: UIMessage): void => {
    this.messages = this.messages.with(index, this.snapshot(message));
  };

  snapshot = <Thing>(thing: Thing): Thing => structuredClone(thing);
}

export class Tab extends AbstractChat<UIMessage> {
  /** The promises of the tab's commands. */
  readonly work: Promise<unknown>[] = [];

  private constructor(chatId: string, messages: UIMessage[], transport: ContinuoChatTransport) {
    super({ id: chatId, state: new TabState(messages), transport });
  }

  /** Opens a page: it loads the messages, and connects to the answers that are not complete. */
  static async open(chatId: string, transport: ContinuoChatTransport): Promise<Tab> {
    const tab = new Tab(chatId, await transport.load(chatId), transport);
    tab.do(() => tab.resumeStream());
    return tab;
  }

  do(work: () => Promise<unknown>): void {
    this.work.push(work());
  }

  get isBusy(): boolean {
    return this.status === "submitted" || this.status === "streaming";
  }
}

/** Returns the messages as a page shows them: without fields that have no value in JSON, and without empty steps. */
export function shown(messages: readonly UIMessage[]): readonly UIMessage[] {
  const plain = JSON.parse(JSON.stringify(messages)) as UIMessage[];
  return plain.map((message) => {
    const isEmpty = message.parts.at(-1)?.type === "step-start";
    return isEmpty ? { ...message, parts: message.parts.slice(0, -1) } : message;
  });
}
