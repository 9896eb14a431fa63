/** The engine as the worker reaches it: in an offscreen document, or, in Firefox, in the background page itself. */

import { browser } from "wxt/browser";
import type { EngineConfig, ToEngine, ToWorker } from "../messages/messages.ts";
import { type HostedEngine, hostEngine } from "../sending/host.ts";

export interface EngineLink {
  /** Starts the engine if it does not run. */
  configure(config: EngineConfig): Promise<void>;
  queued(key: string): void;
}

/** `answer` handles messages of the engine. */
export function linkEngine(answer: (message: ToWorker) => void): EngineLink {
  return import.meta.env.FIREFOX ? inPage(answer) : inDocument();
}

function inPage(answer: (message: ToWorker) => void): EngineLink {
  const hosted: HostedEngine = hostEngine(answer, { tabSound: null, pictureText: null, whisper: null });
  return {
    configure: async (config) => hosted.configure(config),
    queued: (key) => hosted.engine.queued(key),
  };
}

function inDocument(): EngineLink {
  const send = (message: ToEngine): void => {
    // A document that has just started requests its configuration itself.
    void browser.runtime.sendMessage(message).catch(() => undefined);
  };
  let making: Promise<void> | null = null;
  const make = async (): Promise<void> => {
    if (await browser.offscreen.hasDocument()) return;
    await browser.offscreen.createDocument({
      url: "/offscreen.html",
      reasons: ["USER_MEDIA", "WORKERS"],
      justification: "Keeps the connection to the server, and records speech when the person asks for it.",
    });
  };
  const ready = (): Promise<void> => {
    making ??= make().finally(() => {
      making = null;
    });
    return making;
  };
  return {
    configure: async (config) => {
      await ready();
      send({ to: "engine", type: "configure", config });
    },
    // A document that crashed is made again with the next item.
    queued: (key) =>
      void ready().then(
        () => send({ to: "engine", type: "queued", key }),
        () => undefined,
      ),
  };
}
