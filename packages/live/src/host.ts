/**
 * The continuous sessions of one workspace. When the store cannot be written and the client allows it, a session is
 * ephemeral: it exists only in memory.
 */

import { isContinuoError } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import type { LiveSessionRequest, OpenedLiveSession } from "./kit/index.ts";
import { assertLiveOptions, type LiveOptions } from "./options.ts";
import { LiveService } from "./service.ts";

export class LiveHost {
  readonly #options: LiveOptions;
  readonly #ephemeralKeys = new Set<string>();
  #stored: Promise<LiveService> | null = null;
  #ephemeral: Promise<LiveService> | null = null;

  constructor(options: LiveOptions) {
    assertLiveOptions("LiveHost", options);
    this.#options = options;
  }

  /** Errors: as `LiveService.open`. */
  async open(
    key: string,
    request: LiveSessionRequest,
    reach?: readonly string[],
  ): Promise<OpenedLiveSession> {
    if (this.#ephemeralKeys.has(key)) return this.#openEphemeral(key, request, reach);
    try {
      return await (await this.stored()).open(key, request, reach);
    } catch (error) {
      const isAway = isContinuoError(error, "unavailable") || isContinuoError(error, "busy");
      if (request.ephemeral !== "allow" || !isAway) throw error;
      this.#options.report?.(`live: a session is kept in memory only: ${error.message}`);
      return this.#openEphemeral(key, request, reach);
    }
  }

  /** The service that has the session of the key. Errors: those of the store. */
  async of(key: string): Promise<LiveService> {
    return this.#ephemeralKeys.has(key) ? this.#memory() : this.stored();
  }

  /** The started service of the workspace. Errors: those of the store; the next call tries again. */
  stored(): Promise<LiveService> {
    if (this.#stored === null) {
      const starting = started(new LiveService(this.#options));
      this.#stored = starting;
      starting.catch(() => {
        this.#stored = null;
      });
    }
    return this.#stored;
  }

  /** Stops the services, which ends ephemeral sessions. */
  async stop(): Promise<void> {
    const services = [this.#stored, this.#ephemeral].flatMap((service) => service ?? []);
    await Promise.allSettled(services.map(async (service) => (await service).stop()));
  }

  async #openEphemeral(
    key: string,
    request: LiveSessionRequest,
    reach?: readonly string[],
  ): Promise<OpenedLiveSession> {
    const opened = await (await this.#memory()).open(key, request, reach);
    this.#ephemeralKeys.add(key);
    return { ...opened, ephemeral: true };
  }

  #memory(): Promise<LiveService> {
    this.#ephemeral ??= (async () => {
      const { store } = this.#options;
      const memory = await openStore("memory:", { workspaceId: store.workspaceId });
      return started(new LiveService({ ...this.#options, store: memory, kind: "ephemeral" }));
    })();
    return this.#ephemeral;
  }
}

async function started(service: LiveService): Promise<LiveService> {
  await service.start();
  return service;
}
