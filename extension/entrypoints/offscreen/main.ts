/** The offscreen document: it lives while the service worker dies, and has sockets and the microphone. */

import { browser } from "wxt/browser";
import type { EngineConfig, TabSoundAnswer, ToWorker } from "../../messages/messages.ts";
import { hostEngine } from "../../sending/host.ts";

const tellWorker = (message: ToWorker): void => {
  void browser.runtime.sendMessage(message).catch(() => undefined);
};

const tabSound = async (tabId: number): Promise<TabSoundAnswer> =>
  await browser.runtime.sendMessage({ to: "worker", type: "tab-sound", tabId } satisfies ToWorker);

const { configure } = hostEngine(tellWorker, tabSound);
void browser.runtime
  .sendMessage({ to: "worker", type: "ready" } satisfies ToWorker)
  .then((config: EngineConfig | null) => {
    if (config !== null && config !== undefined) configure(config);
  });
