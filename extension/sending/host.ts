/** Runs the engine in a document: answers the worker, pages and the side panel. */

import { type Browser, browser } from "wxt/browser";
import { type EngineConfig, parsePosition, type ToEngine, type ToWorker } from "../messages/messages.ts";
import { listenToPerson } from "../sources/speech.ts";
import { listenToTab, type TabSoundSource } from "../sources/tab-sound.ts";
import type { TextQuestion } from "../sources/tesseract.ts";
import type { Whisper } from "../sources/whisper.ts";
import type { WorkerReader } from "../sources/worker-reader.ts";
import { parseReport } from "../watching/source-report.ts";
import { Engine, type EngineView } from "./engine.ts";
import { answerPort } from "./panel-port.ts";
import { answerPanel, type PanelAnswer, type PanelRequest } from "./panel-requests.ts";

/** Messages to the side panel. */
export type ToPanel = { readonly view: EngineView } | PanelAnswer;

/** Messages from the side panel: a request, or the number of newest notes to send. */
export type FromPanel = PanelRequest | { readonly notes: number };

export interface HostedEngine {
  readonly engine: Engine;
  configure(config: EngineConfig): void;
}

/** Parts that only a document of Chromium has; each is `null` in other browsers. */
export interface DocumentParts {
  readonly tabSound: TabSoundSource | null;
  readonly pictureText: WorkerReader<TextQuestion> | null;
  /** Speech that Whisper transcribes on this machine. */
  readonly whisper: Whisper | null;
}

/** `tellWorker` sends a message to the worker, which runs in the same page (Firefox) or in another context. */
export function hostEngine(
  tellWorker: (message: ToWorker) => void,
  { tabSound, pictureText, whisper }: DocumentParts,
): HostedEngine {
  const engine = new Engine({
    pictureText,
    whisper,
    ended: (key) => tellWorker({ to: "worker", type: "ended", key }),
    standing: (key, standing) => tellWorker({ to: "worker", type: "standing", key, standing }),
  });
  listenToPerson(engine, {
    capture: (key) => tellWorker({ to: "worker", type: "capture", key }),
    showMicrophone: (key) => tellWorker({ to: "worker", type: "listening", key }),
  });
  listenToTab(engine, tabSound);
  const configure = (config: EngineConfig): void => {
    void engine.configure(config);
  };
  browser.runtime.onMessage.addListener((message: ToEngine, sender) => {
    if (sender.id !== browser.runtime.id || message?.to !== "engine") return;
    if (message.type === "position") {
      const position = parsePosition(message.position);
      const { tab, frameId } = sender;
      if (position !== null && tab?.id !== undefined && frameId !== undefined) {
        engine.moved({ tabId: tab.id, frameId }, position, parseReport(message.report));
      }
    } else if (sender.tab === undefined) {
      if (message.type === "configure") configure(message.config);
      else engine.queued(message.key);
    }
  });
  browser.runtime.onConnect.addListener((port) => servePanel(engine, port));
  return { engine, configure };
}

/** Only pages of the extension are answered. */
function servePanel(engine: Engine, port: Browser.runtime.Port): void {
  const isOwn = port.sender?.url?.startsWith(`${location.origin}/`) ?? false;
  if (port.name !== "panel" || port.sender?.id !== browser.runtime.id || !isOwn) {
    port.disconnect();
    return;
  }
  answerPort<EngineView, PanelRequest, PanelAnswer>(
    {
      view: (notes) => engine.view(notes),
      watch: (changed) => engine.watch(changed),
      openPanel: () => engine.openPanel(),
      answer: (request) => answerPanel(engine, request),
    },
    port,
  );
}
