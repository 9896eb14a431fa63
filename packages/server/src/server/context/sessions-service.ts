/** The sessions, runs and approvals that the server answers for, as its routes need them. */

import type { Block, Message } from "@continuo/core/model";

export interface SentMessage {
  readonly id: string | null;
  readonly runId: string;
  readonly sessionId: string;
  readonly status: string;
}

/** A promise of the durable message, and the stream of its run. */
export interface ServedRun extends PromiseLike<SentMessage> {
  toSSE(request: Request): Response;
  toUIMessageResponse(options: { readonly signal: AbortSignal }): Response;
}

export interface NewServedSession {
  readonly title?: string;
  readonly cwd?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface ServedChat {
  readonly messages: readonly { readonly id: string; readonly role: string; readonly metadata?: object }[];
  /** Ids of the answers that are not complete. */
  readonly open: readonly string[];
}

export interface ServedSession {
  readonly sessionId: string;
  send(
    input: string | readonly Block[],
    options: { readonly id?: string; readonly again?: boolean; readonly agent?: string },
  ): ServedRun;
  run(id: string): ServedRun;
  /** `forReaders`: without the words of providers and tools about failures. */
  messages(options: { readonly forReaders: true }): Promise<readonly Message[]>;
  /** The messages of the AI SDK; an answer that ended without being complete has `metadata`. */
  chat(): Promise<ServedChat>;
  toUIMessageResponse(options: {
    readonly open?: readonly string[];
    readonly signal: AbortSignal;
  }): Promise<Response | null>;
  toChatEvents(options: { readonly limit?: number; readonly signal: AbortSignal }): Promise<Response>;
  stop(options: { readonly open?: readonly string[]; readonly reason?: string }): Promise<readonly string[]>;
  toHtml(options: { readonly view: "chat" } | { readonly forReaders: true }): Promise<string>;
  toSSE(request: Request): Response;
}

export const APPROVAL_STATUSES = ["open", "granted", "denied", "cancelled"] as const;

export interface ServedApproval {
  readonly id: string;
  readonly sessionId: string;
}

export interface ServedAnswer {
  readonly outcome: "granted" | "denied";
  readonly by?: string;
  readonly reason?: string;
}

/** The front door of a program (`@continuo/server/runtime`) is such a service. */
export interface SessionsService {
  session(sessionId: string, options?: NewServedSession & { readonly create?: boolean }): ServedSession;
  readonly approvals: {
    get(id: string): Promise<ServedApproval | null>;
    list(options: {
      readonly status?: (typeof APPROVAL_STATUSES)[number];
      /** The limit of the list counts only what passes. */
      readonly filter: (approval: ServedApproval) => boolean;
    }): Promise<readonly ServedApproval[]>;
    resolve(id: string, answer: ServedAnswer): Promise<ServedApproval>;
  };
}
