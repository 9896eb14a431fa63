/** Records what is said in the sound of a tab, and plays it on, because the browser no longer does. */

import { LIMITS } from "../limits.ts";
import type { SessionToOpen, TabSoundAnswer } from "../messages/messages.ts";
import type { Engine } from "../sending/engine.ts";
import { type Item, newItemId } from "../sending/items.ts";
import { type Close, OneListener } from "./one-listener.ts";
import { SpeechRecorder } from "./speech-recorder.ts";
import {
  keepsUnfinishedSound,
  type TabSoundState,
  type TabSoundStatus,
  tabSoundState,
} from "./tab-sound-state.ts";

/** Asks the browser for the sound of a tab. */
export type TabSoundSource = (tabId: number) => Promise<TabSoundAnswer>;

/** The constraints of Chromium for the sound of a tab, which no library of TypeScript has. */
interface TabConstraints {
  readonly mandatory: { readonly chromeMediaSource: "tab"; readonly chromeMediaSourceId: string };
}

/** Follows the engine. `source` is `null` in a browser without such a sound. */
export function listenToTab(engine: Engine, source: TabSoundSource | null): void {
  if (source === null) {
    engine.setTabSound({ state: "unavailable", failure: null });
    return;
  }
  const listener = new OneListener();
  /** The time of the permission that was tried last. */
  let triedAtMs = 0;
  const look = (): void => {
    const { recording, config } = engine;
    const settings = config?.settings ?? null;
    const state = tabSoundState({ ...engine.listening, settings, recording, nowMs: Date.now() });
    const isOn = state === "listening" && recording !== null && config !== null;
    if (isOn && REFUSED.includes(engine.tabSound.state)) triedAtMs = config.allowedAtMs;
    const isChanged = listener.change({
      settingsKey: isOn ? JSON.stringify([recording.key, recording.tabId, triedAtMs]) : "",
      unfinished: keepsUnfinishedSound(state) ? "keep" : "discard",
      open: async (before) => {
        // The browser gives the sound of a tab to one listener at a time.
        await before;
        return recording === null ? () => undefined : await listen(engine, source, recording);
      },
    });
    if (isChanged || !isOn) engine.setTabSound({ state, failure: null });
  };
  engine.watch(look);
  // A page that is gone says nothing.
  setInterval(look, LIMITS.positionMs);
}

/** States that a new permission may end. */
const REFUSED: readonly TabSoundState[] = ["unasked", "no-permission", "failed"];

async function listen(
  engine: Engine,
  source: TabSoundSource,
  { key, tabId }: Pick<SessionToOpen, "key" | "tabId">,
): Promise<Close> {
  const report = (status: TabSoundStatus): Close => {
    engine.setTabSound(status);
    return () => undefined;
  };
  const add = (item: Item): void => void engine.add(key, item).catch((error) => engine.report(key, error));
  try {
    const answer = await source(tabId);
    if ("refusal" in answer) return report({ state: answer.refusal, failure: null });
    const stream = await openTab(answer.streamId);
    // The browser's own sign has a button that stops it.
    stream.getAudioTracks()[0]?.addEventListener("ended", () => report(STOPPED));
    const recorder = new SpeechRecorder(stream, {
      playback: "heard",
      mediaTimeMs: () => engine.mediaTimeMs(key),
      began: () => undefined,
      ended: () => undefined,
      recorded: ({ startMs, ...recording }) =>
        add({
          kind: "audio",
          id: newItemId(),
          mediaTimeMs: startMs,
          // The person's language need not be the film's.
          lang: null,
          speaker: "film",
          ...recording,
        }),
    });
    return (unfinished) => recorder.close(unfinished);
  } catch (error) {
    return report({ state: "failed", failure: { message: "it cannot be recorded", hint: String(error) } });
  }
}

const STOPPED: TabSoundStatus = {
  state: "failed",
  failure: { message: "the browser stopped it", hint: "Press Continuo's button in the video's tab." },
};

function openTab(streamId: string): Promise<MediaStream> {
  const audio: TabConstraints = {
    mandatory: { chromeMediaSource: "tab", chromeMediaSourceId: streamId },
  };
  return navigator.mediaDevices.getUserMedia({ audio: audio as MediaTrackConstraints });
}
