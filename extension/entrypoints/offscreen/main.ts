/** The offscreen document: it stays alive when the service worker ends, and has sockets and the microphone. */

import { browser } from "wxt/browser";
import { LIMITS } from "../../limits.ts";
import type { EngineConfig, TabSoundAnswer, ToWorker } from "../../messages/messages.ts";
import { hostEngine } from "../../sending/host.ts";
import type { TextQuestion } from "../../sources/tesseract.ts";
import { Whisper } from "../../sources/whisper.ts";
import { startSealedWhisper } from "../../sources/whisper-seal.ts";
import { type TextWorker, WorkerReader } from "../../sources/worker-reader.ts";

const tellWorker = (message: ToWorker): void => {
  void browser.runtime.sendMessage(message).catch(() => undefined);
};

const tabSound = async (tabId: number): Promise<TabSoundAnswer> =>
  await browser.runtime.sendMessage({ to: "worker", type: "tab-sound", tabId } satisfies ToWorker);

function startWorker<Question>(url: string): TextWorker<Question> {
  const worker = new Worker(url);
  return {
    ask: (question, answered) => {
      worker.onmessage = ({ data }) => answered(data);
      worker.onerror = ({ message }) => answered({ error: message });
      worker.postMessage(question);
    },
    terminate: () => worker.terminate(),
  };
}

const pictureText = new WorkerReader<TextQuestion>({
  start: () => startWorker("/text-reader.js"),
  failure: "the text in pictures cannot be read",
  timeMs: LIMITS.readTextMs,
  idleMs: LIMITS.readTextIdleMs,
});
const whisper = new Whisper({ own: () => startWorker("/whisper-reader.js"), sealed: startSealedWhisper });
const { configure } = hostEngine(tellWorker, { tabSound, pictureText, whisper });
void browser.runtime
  .sendMessage({ to: "worker", type: "ready" } satisfies ToWorker)
  .then((config: EngineConfig | null) => {
    if (config !== null && config !== undefined) configure(config);
  });
