/** Listens to the person, and stops at once when a condition is no longer met. */

import { LIMITS } from "../limits.ts";
import type { Sources } from "../messages/messages.ts";
import type { Engine } from "../sending/engine.ts";
import { type Item, newItemId } from "../sending/items.ts";
import { failureOf } from "../sending/session.ts";
import { keepsUnfinished, microphoneState } from "./listening.ts";
import { LocalSpeechAnswer } from "./local-speech.ts";
import { type Close, OneListener } from "./one-listener.ts";
import { recognise } from "./recognition.ts";
import { SpeechRecorder } from "./speech-recorder.ts";
import type { SpeechEvents } from "./voice.ts";

export interface SpeechHost {
  /** Captures a frame, because the person may be speaking about the picture. */
  capture(key: string): void;
  /** Shows on the badge which session hears the person; `null` if none does. */
  showMicrophone(key: string | null): void;
}

/** Starts and stops the microphone when the state of the engine changes. */
export function listenToPerson(engine: Engine, host: SpeechHost): void {
  const listener = new OneListener();
  const answer = new LocalSpeechAnswer(() => look());
  const look = (): void => {
    const { recording, config } = engine;
    const settings = config?.settings ?? null;
    const { microphone, lang = "" } = settings?.sources ?? {};
    const isLocal = microphone === "recognise" && answer.isLocal(lang);
    const state = microphoneState({ ...engine.listening, settings, recording, isLocal, nowMs: Date.now() });
    const isOn = state === "listening" && recording !== null && settings !== null;
    const isChanged = listener.change({
      settingsKey: isOn
        ? JSON.stringify([recording.key, microphone, lang, isLocal, settings.microphoneAskedAtMs])
        : "",
      unfinished: keepsUnfinished(state) ? "keep" : "discard",
      open: async () =>
        isOn
          ? await openMicrophone(engine, host, { key: recording.key, sources: settings.sources, isLocal })
          : () => undefined,
    });
    if (isChanged) host.showMicrophone(isOn ? recording.key : null);
    if (isChanged || !isOn) engine.setMicrophone({ state, failure: null });
  };
  engine.watch(look);
  // A page that no longer exists sends no message, so the state is also checked at an interval.
  setInterval(look, LIMITS.positionMs);
}

interface MicrophoneOptions {
  readonly key: string;
  readonly sources: Sources;
  readonly isLocal: boolean;
}

async function openMicrophone(
  engine: Engine,
  host: SpeechHost,
  { key, sources, isLocal }: MicrophoneOptions,
): Promise<Close> {
  const { lang } = sources;
  const add = (item: Item): void => void engine.add(key, item).catch((error) => engine.report(key, error));
  const failed = (error: unknown): void => {
    const failure = error === null ? null : failureOf(error);
    engine.setMicrophone({ state: failure === null ? "listening" : "failed", failure });
    host.showMicrophone(failure === null ? key : null);
  };
  let isFailed = false;
  const events: SpeechEvents = {
    mediaTimeMs: () => engine.mediaTimeMs(key),
    began: (mediaTimeMs) => {
      add({ kind: "voice", id: newItemId(), activity: "speaking", mediaTimeMs });
      host.capture(key);
    },
    ended: (mediaTimeMs) => add({ kind: "voice", id: newItemId(), activity: "silent", mediaTimeMs }),
    recorded: (segment) => {
      if (sources.microphone === "whisper") {
        void engine
          .transcribe(key, segment, { lang: lang === "" ? null : lang, speaker: "viewer" })
          .then((failure) => {
            if (failure !== null || isFailed)
              engine.setMicrophone({ state: failure === null ? "listening" : "failed", failure });
            isFailed = failure !== null;
          })
          .catch((error) => engine.report(key, error));
        return;
      }
      const { startMs, ...recording } = segment;
      add({
        kind: "audio",
        id: newItemId(),
        mediaTimeMs: startMs,
        lang: lang === "" ? null : lang,
        speaker: "viewer",
        ...recording,
      });
    },
  };
  try {
    if (sources.microphone === "recognise") {
      return recognise(
        { lang, isLocal },
        {
          ...events,
          said: ({ text, startMs, endMs }) =>
            add({
              kind: "transcript",
              id: newItemId(),
              mediaTimeMs: startMs,
              endMs,
              text,
              lang,
              speaker: "viewer",
            }),
          failed,
        },
      );
    }
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    const recorder = new SpeechRecorder(stream, { ...events, playback: "silent" });
    return (unfinished) => recorder.close(unfinished);
  } catch (error) {
    failed(error);
    return () => undefined;
  }
}
