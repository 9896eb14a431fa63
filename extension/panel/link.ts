/** The panel's connection to the engine: the view when it changes, and answers to the panel's requests. */

import { signal } from "@preact/signals";
import { type Browser, browser } from "wxt/browser";
import { LIMITS } from "../limits.ts";
import type { ToWorker } from "../messages/messages.ts";
import type { EngineView } from "../sending/engine.ts";
import type { FromPanel, ToPanel } from "../sending/host.ts";
import type { PanelAction } from "../sending/panel-requests.ts";
import type { Failure } from "../sending/view.ts";

const RETRY_MS = 300;

/** `null` until the engine answered. */
export const view = signal<EngineView | null>(null);

interface PendingRequest {
  readonly resolve: (value: unknown) => void;
  readonly reject: (failure: Failure) => void;
}

let port: Browser.runtime.Port | null = null;
let next = 1;
let wanted: number = LIMITS.notesAtOnce;
const asked = new Map<number, PendingRequest>();

/** Connects, and reconnects whenever the engine restarts. */
export function connect(): void {
  void browser.runtime.sendMessage({ to: "worker", type: "wake" } satisfies ToWorker).then(open, later);
}

/** Rejects with a `Failure`. */
export function ask(key: string, action: PanelAction): Promise<unknown> {
  const id = next++;
  return new Promise((resolve, reject) => {
    if (port === null) return reject(notConnected());
    asked.set(id, { resolve, reject });
    port.postMessage({ ...action, id, key } satisfies FromPanel);
  });
}

/** From now on, the view has this number of the newest notes. */
export function wantNotes(notes: number): void {
  if (notes === wanted) return;
  wanted = notes;
  port?.postMessage({ notes } satisfies FromPanel);
}

function open(): void {
  port = browser.runtime.connect({ name: "panel" });
  port.onMessage.addListener((message: ToPanel) => {
    if ("view" in message) view.value = message.view;
    else {
      const waiting = asked.get(message.id);
      asked.delete(message.id);
      if ("failure" in message) waiting?.reject(message.failure);
      else waiting?.resolve(message.value);
    }
  });
  if (wanted !== LIMITS.notesAtOnce) port.postMessage({ notes: wanted } satisfies FromPanel);
  port.onDisconnect.addListener(() => {
    port = null;
    for (const { reject } of asked.values()) reject(notConnected());
    asked.clear();
    later();
  });
}

function later(): void {
  setTimeout(connect, RETRY_MS);
}

function notConnected(): Failure {
  return { message: "the extension is starting", hint: "Try it again." };
}
