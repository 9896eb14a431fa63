/**
 * The participant's session on the server (cursors, status, the agent's own session) as this client knows it, or the
 * reason why there is none. Requests in degraded mode are sent when the server can open the session.
 */

import { ContinuoError } from "../model/index.ts";
import type { ParticipantSession, WelcomeFrame } from "../wire/index.ts";
import { noSession } from "./client-options.ts";
import { LIMITS } from "./limits.ts";
import type { Request } from "./link.ts";

type State =
  | { readonly type: "kept"; readonly session: ParticipantSession }
  | { readonly type: "degraded"; readonly reason: string }
  | { readonly type: "none" };

interface PendingPatch {
  readonly checkpoint?: number;
  readonly sdkSessionId?: string | null;
}

export interface ClientSessionOptions {
  readonly request: (request: Request) => Promise<unknown>;
  readonly warn: (line: string) => void;
}

export class ClientSession {
  readonly #options: ClientSessionOptions;
  #state: State = { type: "none" };
  #deferred: PendingPatch = {};
  /** The last event that `events()` handed over. */
  #received = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ClientSessionOptions) {
    this.#options = options;
  }

  get kept(): ParticipantSession | undefined {
    return this.#state.type === "kept" ? this.#state.session : undefined;
  }

  /** Why there is no session although one was requested. */
  get degraded(): string | undefined {
    return this.#state.type === "degraded" ? this.#state.reason : undefined;
  }

  /** Takes over what the `welcome` frame of a new connection reports about the session. */
  begin({ session, degraded }: Pick<WelcomeFrame, "session" | "degraded">): void {
    if (session !== null) {
      this.#state = { type: "kept", session };
      this.take(session);
    } else if (degraded !== null) {
      if (this.#state.type !== "degraded") this.#options.warn(`the session could not be opened: ${degraded}`);
      this.#state = { type: "degraded", reason: degraded };
    }
  }

  /** The server opened a session that it could not open before, or another connection of the person changed it. */
  take(session: ParticipantSession): void {
    const { checkpoint, sdkSessionId } = this.#deferred;
    this.#deferred = {};
    this.#keep(session);
    this.flush();
    // The caller knows that nothing is kept in degraded mode: a request that fails now is no loss.
    if (checkpoint !== undefined) this.commit(checkpoint).catch(() => undefined);
    if (sdkSessionId !== undefined) this.setSdkSession(sdkSessionId).catch(() => undefined);
  }

  /** Errors: `session_disabled`, `out_of_range`. */
  async commit(sequence: number): Promise<void> {
    if (this.isOpen()) return this.change({ type: "commit", sequence });
    const { checkpoint = 0 } = this.#deferred;
    this.#deferred = { ...this.#deferred, checkpoint: Math.max(checkpoint, sequence) };
  }

  /** Errors: `session_disabled`. */
  async setSdkSession(sdkSessionId: string | null): Promise<void> {
    if (this.isOpen()) return this.change({ type: "sdk_session", sdkSessionId });
    this.#deferred = { ...this.#deferred, sdkSessionId };
  }

  /** Sends a request that is answered with the session. */
  async change(request: Request): Promise<void> {
    this.#keep((await this.#options.request(request)) as ParticipantSession);
  }

  /** `false` in degraded mode. Errors: `session_disabled`. */
  isOpen(): boolean {
    if (this.#state.type === "none") noSession();
    return this.#state.type === "kept";
  }

  /** Errors: `session_disabled`, `degraded`. */
  assertOpen(): void {
    if (this.isOpen()) return;
    throw new ContinuoError("degraded", `the session could not be opened: ${this.degraded ?? ""}`, {
      hint: "Wait until the server's store works again.",
    });
  }

  /** Reports an event that addresses the participant immediately, and other events together, after at most 1 s. */
  received(sequence: number, { addressed }: { readonly addressed: boolean }): void {
    if (sequence <= this.#received) return;
    this.#received = sequence;
    if (this.kept === undefined) return;
    if (addressed) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), LIMITS.receivedMs);
  }

  /** Reports the received events to the server now. */
  flush(): void {
    this.stop();
    const { kept } = this;
    if (kept === undefined || this.#received <= kept.received) return;
    this.#keep({ ...kept, received: this.#received });
    // A cursor that was not sent is sent with the next one; after a crash more events come again, and none is lost.
    this.#options.request({ type: "received", sequence: this.#received }).catch(() => undefined);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Cursors only move forward, even if answers arrive in another order. */
  #keep(session: ParticipantSession): void {
    const { processed = 0, received = 0 } = this.kept ?? {};
    this.#state = {
      type: "kept",
      session: {
        ...session,
        processed: Math.max(processed, session.processed),
        received: Math.max(received, session.received),
      },
    };
  }
}
