/** The writers of notes that a person can choose for a session, with their prices, and the choice. */

import type { NewEvent } from "@continuo/core/model";
import type { OfferedWriter } from "@continuo/core/wire";
import { LIMITS, type LiveSession, type LiveSessionRequest, type SessionOwnerSettings } from "./kit/index.ts";
import type { SessionOwner } from "./owner/index.ts";
import { assertWritable, type Follower } from "./state/index.ts";
import { extractiveWriter } from "./writers/index.ts";

/** The parts of the live service that the choice needs. */
export interface WriterChoiceService {
  sessionIdOf(key: string): Promise<string>;
  follow(sessionId: string): Promise<Follower>;
  /** Some of the store's sessions, for the prices of their writers. */
  list(page: { readonly limit: number }): Promise<{ readonly items: readonly LiveSession[] }>;
}

export interface ChoiceWork {
  readonly own: (sessionId: string) => Promise<SessionOwner | null>;
  readonly append: (follower: Follower, events: readonly NewEvent[]) => Promise<unknown>;
}

type ChoiceSettings = Pick<SessionOwnerSettings, "noteWriters" | "writerOffers" | "writerOf" | "report">;

const NONE = extractiveWriter().name;

export class WriterChoice {
  readonly #service: WriterChoiceService;
  readonly #settings: ChoiceSettings;
  readonly #work: ChoiceWork;

  constructor(service: WriterChoiceService, settings: ChoiceSettings, work: ChoiceWork) {
    this.#service = service;
    this.#settings = settings;
    this.#work = work;
  }

  /** True for a writer that the server was started with, which every client may use. */
  isNamed(name: string): boolean {
    return this.#settings.noteWriters.some((one) => one.name === name);
  }

  /**
   * The request with the writer that a person chose last, if it names none. Errors: `not_found` for a name without a
   * writer.
   */
  withChoice(request: LiveSessionRequest): LiveSessionRequest {
    const { writerOf, writerOffers } = this.#settings;
    if (request.noteWriter !== undefined) {
      writerOf(request.noteWriter);
      return request;
    }
    const name = writerOffers?.chosen() ?? null;
    // The writer may have been removed from the machine since then.
    if (name === null || !(this.isNamed(name) || writerOffers?.named(name))) return request;
    return { ...request, noteWriter: name };
  }

  /** Every writer that can write the notes of the session. Errors: `not_found`, and those of the store. */
  async offered(key: string): Promise<readonly OfferedWriter[]> {
    const settings = this.#settings;
    const { fold } = await this.#follow(key);
    const used = settings.writerOf(fold.noteWriter).name;
    const found = (await settings.writerOffers?.find()) ?? [];
    const named = settings.noteWriters
      .filter(({ name }) => name !== NONE)
      .map(({ name, isFree }) => ({ name, kind: isFree === true ? ("here" as const) : ("named" as const) }));
    const others = found.filter(({ name }) => !this.isNamed(name));
    const { items } = await this.#service.list({ limit: LIMITS.pricedSessions });
    return [{ name: NONE, kind: "none" as const }, ...named, ...others].map((one) => ({
      ...one,
      hourUsd: one.kind === "none" || one.kind === "here" ? 0 : hourPriceOf(items, one.name),
      isUsed: one.name === used,
    }));
  }

  /**
   * Makes this writer write the session's notes from now on, and those of later sessions that name no writer.
   * Errors: `not_found` for a name without a writer, `degraded`, `log_closed`, and those of the store.
   */
  async choose(key: string, name: string): Promise<void> {
    const settings = this.#settings;
    settings.writerOf(name);
    const follower = await this.#follow(key);
    assertWritable(follower);
    const before = settings.writerOf(follower.fold.noteWriter);
    if (before.name !== name) {
      // The earlier writer may have an unfinished thought, which no other writer knows.
      const owner = await this.#work.own(follower.sessionId);
      await owner?.finish(LIMITS.choiceMs).catch((error: unknown) => {
        settings.report(`live: ${before.name} left a note open: ${String(error)}`);
      });
      await this.#work.append(follower, [
        { type: "note_writer_chosen", data: { noteWriter: name }, actor: { kind: "person" } },
      ]);
      await before.end?.(follower.sessionId);
    }
    settings.writerOffers?.choose(name);
  }

  async #follow(key: string): Promise<Follower> {
    return this.#service.follow(await this.#service.sessionIdOf(key));
  }
}

/** The cost of an hour with a writer; `null` while its sessions are too short for an estimate. */
function hourPriceOf(sessions: readonly LiveSession[], name: string): number | null {
  const own = sessions.filter(({ noteWriter, cost }) => noteWriter === name && cost.modelCalls > 0);
  const ms = own.reduce(
    (sum, { createdAt, lastActivityAt }) => sum + Date.parse(lastActivityAt) - Date.parse(createdAt),
    0,
  );
  const costUsd = own.reduce((sum, { cost }) => sum + cost.costUsd, 0);
  return ms < LIMITS.pricedMs ? null : (costUsd * 3_600_000) / ms;
}
