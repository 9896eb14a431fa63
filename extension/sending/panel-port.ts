/**
 * The engine's side of the connection to a side panel: the view when it changes, and answers to the panel's requests.
 */

import { LIMITS } from "../limits.ts";

/** The part of a port that every browser has. Firefox cannot tell if an event has a listener. */
export interface PanelPort<Message, Request> {
  postMessage(message: Message): void;
  readonly onMessage: { addListener(listener: (message: Request | WantedNotes) => void): void };
  readonly onDisconnect: { addListener(listener: () => void): void };
}

interface WantedNotes {
  readonly notes: number;
}

export interface PanelSource<View, Request, Answer> {
  /** The view with this number of the newest notes. */
  readonly view: (notes: number) => View;
  /** Calls `changed` after each change. Returns the function that stops these calls. */
  readonly watch: (changed: () => void) => () => void;
  readonly openPanel: () => Disposable;
  readonly answer: (request: Request) => Promise<Answer>;
}

/** Sends the view at once, and answers until the panel is closed. */
export function answerPort<View, Request extends object, Answer>(
  source: PanelSource<View, Request, Answer>,
  port: PanelPort<{ readonly view: View } | Answer, Request>,
): void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let notes: number = LIMITS.notesAtOnce;
  let isClosed = false;
  const show = (): void => {
    timer = null;
    port.postMessage({ view: source.view(notes) });
  };
  const changed = (): void => {
    timer ??= setTimeout(show, LIMITS.viewEveryMs);
  };
  const stop = source.watch(changed);
  const opened = source.openPanel();
  port.onDisconnect.addListener(() => {
    isClosed = true;
    opened[Symbol.dispose]();
    stop();
    if (timer !== null) clearTimeout(timer);
  });
  port.onMessage.addListener((request) => {
    if ("notes" in request) {
      notes = request.notes;
      return changed();
    }
    void source.answer(request).then((answer) => {
      if (!isClosed) port.postMessage(answer);
    });
  });
  show();
}
