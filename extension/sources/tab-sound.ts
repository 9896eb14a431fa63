/** Records the sound of a tab. Also plays the sound, because the browser no longer plays a tab that is captured. */

import { LIMITS } from "../limits.ts";
import type { SessionToOpen, Sources, TabSoundAnswer } from "../messages/messages.ts";
import type { Engine } from "../sending/engine.ts";
import { type Item, newItemId } from "../sending/items.ts";
import { failureOf } from "../sending/session.ts";
import { LocalSpeechAnswer } from "./local-speech.ts";
import { type Close, OneListener } from "./one-listener.ts";
import { recognise } from "./recognition.ts";
import { SpeechRecorder } from "./speech-recorder.ts";
import {
  keepsUnfinishedSound,
  type TabSoundState,
  type TabSoundStatus,
  tabSoundState,
} from "./tab-sound-state.ts";
import type { SpeechSegment } from "./voice.ts";
import type { SpeechLabel } from "./whisper.ts";

/** Asks the browser for the sound of a tab. */
export type TabSoundSource = (tabId: number) => Promise<TabSoundAnswer>;

/** Chromium's constraints for the sound of a tab. The type libraries of TypeScript do not have them. */
interface TabConstraints {
  readonly mandatory: { readonly chromeMediaSource: "tab"; readonly chromeMediaSourceId: string };
}

/** Starts and stops when the state of the engine changes. `source` is `null` if the browser cannot give the sound. */
export function listenToTab(engine: Engine, source: TabSoundSource | null): void {
  if (source === null) {
    engine.setTabSound({ state: "unavailable", failure: null });
    return;
  }
  const listener = new OneListener();
  /** The time at which the person gave the permission with which the last attempt was made. */
  let triedAtMs = 0;
  const answer = new LocalSpeechAnswer(() => look());
  const look = (): void => {
    const { recording, config } = engine;
    const settings = config?.settings ?? null;
    const { tabTranscriber, filmLang = "" } = settings?.sources ?? {};
    const isLocal = tabTranscriber === "browser" && answer.isLocal(filmLang);
    const state = tabSoundState({ ...engine.listening, settings, recording, isLocal, nowMs: Date.now() });
    const isOn = state === "listening" && recording !== null && config !== null;
    if (isOn && REFUSED.includes(engine.tabSound.state)) triedAtMs = config.allowedAtMs;
    const isChanged = listener.change({
      settingsKey: isOn
        ? JSON.stringify([recording.key, recording.tabId, triedAtMs, tabTranscriber, filmLang])
        : "",
      unfinished: keepsUnfinishedSound(state) ? "keep" : "discard",
      open: async (before) => {
        // The browser gives the sound of a tab to one listener at a time.
        await before;
        if (recording === null || settings === null) return () => undefined;
        return await listen(engine, source, { ...recording, ...settings.sources });
      },
    });
    if (isChanged || !isOn) engine.setTabSound({ state, failure: null });
  };
  engine.watch(look);
  // A page that no longer exists sends no message, so the state is also checked at an interval.
  setInterval(look, LIMITS.positionMs);
}

/** States that a new permission may end. */
const REFUSED: readonly TabSoundState[] = ["unasked", "no-permission", "failed"];

type ListenOptions = Pick<SessionToOpen, "key" | "tabId"> & Pick<Sources, "tabTranscriber" | "filmLang">;

async function listen(engine: Engine, source: TabSoundSource, options: ListenOptions): Promise<Close> {
  const report = (status: TabSoundStatus): Close => {
    engine.setTabSound(status);
    return () => undefined;
  };
  try {
    const answer = await source(options.tabId);
    if ("refusal" in answer) return report({ state: answer.refusal, failure: null });
    const stream = await openTab(answer.streamId);
    // The browser's own indicator has a button that stops the recording.
    stream.getAudioTracks()[0]?.addEventListener("ended", () => report(STOPPED));
    return options.tabTranscriber === "browser"
      ? recogniseTab(engine, stream, options)
      : recordTab(engine, stream, options);
  } catch (error) {
    return report({ state: "failed", failure: { message: "it cannot be recorded", hint: String(error) } });
  }
}

/** The server transcribes recordings, or Whisper does it on this machine. */
function recordTab(
  engine: Engine,
  stream: MediaStream,
  { key, tabTranscriber, filmLang }: ListenOptions,
): Close {
  const film: SpeechLabel = { speaker: "film", lang: filmLang === "" ? null : filmLang };
  const recorder = new SpeechRecorder(stream, {
    playback: "heard",
    mediaTimeMs: () => engine.mediaTimeMs(key),
    began: () => undefined,
    ended: () => undefined,
    recorded: (segment) => {
      if (tabTranscriber === "whisper") return transcribe(engine, key, segment, film);
      const { startMs, ...recording } = segment;
      add(engine, key, {
        kind: "audio",
        id: newItemId(),
        mediaTimeMs: startMs,
        // The language of the film can differ from the person's.
        lang: null,
        speaker: "film",
        ...recording,
      });
    },
  });
  return (unfinished) => recorder.close(unfinished);
}

/** The browser transcribes the sound, on this machine only. */
function recogniseTab(engine: Engine, stream: MediaStream, { key, filmLang: lang }: ListenOptions): Close {
  const [track] = stream.getAudioTracks();
  if (track === undefined) throw new Error("the tab has no sound");
  const context = new AudioContext();
  context.createMediaStreamSource(stream).connect(context.destination);
  const close = recognise(
    { lang, isLocal: true, track },
    {
      mediaTimeMs: () => engine.mediaTimeMs(key),
      began: () => undefined,
      said: ({ text, startMs, endMs }) =>
        add(engine, key, {
          kind: "transcript",
          id: newItemId(),
          mediaTimeMs: startMs,
          endMs,
          text,
          lang,
          speaker: "film",
        }),
      failed: (error) => {
        const failure = error === null ? null : failureOf(error);
        engine.setTabSound({ state: failure === null ? "listening" : "failed", failure });
      },
    },
  );
  return async (unfinished) => {
    await close(unfinished);
    await context.close();
    track.stop();
  };
}

function transcribe(engine: Engine, key: string, segment: SpeechSegment, film: SpeechLabel): void {
  void engine
    .transcribe(key, segment, film)
    .then((failure) => {
      if (failure !== null) engine.setTabSound({ state: "failed", failure });
      else if (engine.tabSound.state === "failed") engine.setTabSound({ state: "listening", failure });
    })
    .catch((error) => engine.report(key, error));
}

function add(engine: Engine, key: string, item: Item): void {
  void engine.add(key, item).catch((error) => engine.report(key, error));
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
