/** A case of the contract of clients: a scripted server, a client, and the client's reports. */

import type { ClientCommand, ClientReport, ClientUnderTest, StartClient } from "./program.ts";
import { openScriptedServer, type Peer, type ScriptedServer, withPatience } from "./scripted-server.ts";

export interface ClientCase {
  readonly id: string;
  readonly name: string;
  run(stage: Stage): Promise<void>;
}

export class Stage implements AsyncDisposable {
  readonly server: ScriptedServer;
  readonly #start: StartClient;
  readonly reports: ClientReport[] = [];
  #client: ClientUnderTest | null = null;
  #wake: () => void = () => undefined;

  constructor(server: ScriptedServer, start: StartClient) {
    this.server = server;
    this.#start = start;
  }

  /** Starts the client and returns its first connection, whose `hello` is not answered yet. */
  async connect(replay: "stream" | "collect" = "stream"): Promise<Peer> {
    this.#client = await this.#start((report) => {
      this.reports.push(report);
      this.#wake();
    });
    const { url } = this.server;
    const token = "continuo_secret";
    this.do({ command: "connect", serverUrl: url, channel: "team", handle: "bot", token, replay });
    return this.server.connection();
  }

  /** Connects the client to an empty log, and returns its first connection. */
  async join(): Promise<Peer> {
    const peer = await this.connect();
    await peer.welcome();
    peer.ready(0);
    await this.report("ready");
    return peer;
  }

  /** Returns a stage with the same kind of client and another server. */
  beside(server: ScriptedServer): Stage {
    return new Stage(server, this.#start);
  }

  do(command: ClientCommand): void {
    this.#client?.do(command);
  }

  send(name: string): void {
    this.do({ command: "send", name, content: `words of ${name}` });
  }

  /** Waits for a report of the kind, and returns the first one. */
  async report<Kind extends ClientReport["report"]>(
    kind: Kind,
    fits: (report: Extract<ClientReport, { readonly report: Kind }>) => boolean = () => true,
  ): Promise<Extract<ClientReport, { readonly report: Kind }>> {
    type MatchingReport = Extract<ClientReport, { readonly report: Kind }>;
    return withPatience(`a report ${kind} of the client`, async () => {
      for (;;) {
        const found = this.reports.find((one) => one.report === kind && fits(one as MatchingReport));
        if (found !== undefined) return found as MatchingReport;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    });
  }

  /** Waits until the message with the sequence is handed over, and returns the sequences of all messages so far. */
  async messagesUpTo(sequence: number): Promise<readonly number[]> {
    await this.report("message", (message) => message.sequence === sequence);
    return this.messages();
  }

  messages(): readonly number[] {
    return this.reports.flatMap((one) => (one.report === "message" ? [one.sequence] : []));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client?.stop();
    await this.server[Symbol.asyncDispose]();
  }
}

export async function openStage(start: StartClient): Promise<Stage> {
  return new Stage(await openScriptedServer(), start);
}

/** Returns the numbers from 1 to `count`. */
export function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
