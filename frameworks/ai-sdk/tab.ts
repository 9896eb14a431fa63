/** A tab of a browser, without the browser: the AI SDK's own chat, with the state that `useChat` has. */

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
  /** The commands of the tab, each of which ends with its work. */
  readonly work: Promise<unknown>[] = [];

  private constructor(chatId: string, messages: UIMessage[], transport: ContinuoChatTransport) {
    super({ id: chatId, state: new TabState(messages), transport });
  }

  /** A page that is opened loads the messages, and connects to the answers that are not complete. */
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

/** JSON has no fields without a value, and a step in which nothing came is not shown. */
export function shown(messages: readonly UIMessage[]): readonly UIMessage[] {
  const plain = JSON.parse(JSON.stringify(messages)) as UIMessage[];
  return plain.map((message) => {
    const isEmpty = message.parts.at(-1)?.type === "step-start";
    return isEmpty ? { ...message, parts: message.parts.slice(0, -1) } : message;
  });
}
