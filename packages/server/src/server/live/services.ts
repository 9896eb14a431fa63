/** One `LiveHost` per workspace, created on first use. */

import type { Store } from "@continuo/core/model";
import { LiveHost, LiveService } from "@continuo/live";
import type { LiveSettings, ServerContext } from "../context/index.ts";
import { LIMITS } from "./limits.ts";

export class LiveServices {
  readonly #context: ServerContext;
  readonly #options: Omit<LiveSettings, "workspaceIds">;
  readonly #hosts = new Map<string, LiveHost>();
  readonly #looking: NodeJS.Timeout;
  #state: "open" | "closed" = "open";

  constructor(context: ServerContext, { workspaceIds, ...options }: LiveSettings) {
    this.#context = context;
    this.#options = options;
    // A server without clients also takes over sessions of a server that is gone.
    const look = (): void => {
      for (const workspaceId of workspaceIds)
        void this.#join(context.store(workspaceId)).catch(() => undefined);
    };
    this.#looking = setInterval(look, LIMITS.lookMs).unref();
  }

  of(workspaceId: string): LiveHost {
    let host = this.#hosts.get(workspaceId);
    if (host === undefined) {
      const { store, report } = this.#context;
      host = new LiveHost({ ...this.#options, store: store(workspaceId), report });
      this.#hosts.set(workspaceId, host);
    }
    return host;
  }

  async close(): Promise<void> {
    this.#state = "closed";
    clearInterval(this.#looking);
    await Promise.all([...this.#hosts.values()].map((host) => host.stop()));
  }

  async #join(store: Store): Promise<void> {
    if (this.#hosts.has(store.workspaceId)) return;
    const isUsed = await LiveService.isUsed(store);
    // The server may have been closed in the meantime: nobody would stop a host that is opened now.
    if (isUsed && this.#state === "open") await this.of(store.workspaceId).stored();
  }
}
