/** The offscreen document: it lives while the service worker dies, and has sockets and the microphone. */

import { browser } from "wxt/browser";
import type { EngineConfig, TabSoundAnswer, ToWorker } from "../../messages/messages.ts";
import { hostEngine } from "../../sending/host.ts";
import { PictureText, type TextWorker } from "../../sources/picture-text.ts";

const tellWorker = (message: ToWorker): void => {
  void browser.runtime.sendMessage(message).catch(() => undefined);
};

const tabSound = async (tabId: number): Promise<TabSoundAnswer> =>
  await browser.runtime.sendMessage({ to: "worker", type: "tab-sound", tabId } satisfies ToWorker);

const startTextReader = (): TextWorker => {
  const worker = new Worker("/text-reader.js");
  return {
    ask: (question, answered) => {
      worker.onmessage = ({ data }) => answered(data);
      worker.onerror = ({ message }) => answered({ error: message });
      worker.postMessage(question);
    },
    terminate: () => worker.terminate(),
  };
};

const pictureText = new PictureText(startTextReader);
const { configure } = hostEngine(tellWorker, { tabSound, pictureText });
void browser.runtime
  .sendMessage({ to: "worker", type: "ready" } satisfies ToWorker)
  .then((config: EngineConfig | null) => {
    if (config !== null && config !== undefined) configure(config);
  });
