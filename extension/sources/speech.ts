/** Listens to the person while a video records; the settings and the video switch it on and off. */

import type { Sources } from "../messages/messages.ts";
import type { Engine } from "../sending/engine.ts";
import type { Item } from "../sending/items.ts";
import { Microphone } from "./microphone.ts";
import { recognise } from "./recognition.ts";
import type { SpeechEvents } from "./voice.ts";

export interface SpeechHost {
  /** A frame is wanted, of what is spoken of. */
  capture(key: string): void;
}

interface Listening {
  /** The settings of the current listener; another one begins when they differ. */
  readonly name: string;
  readonly opened: Promise<() => void>;
}

/** Follows the engine: listens while a session records and the microphone is on. */
export function listenToPerson(engine: Engine, host: SpeechHost): void {
  let listening: Listening | null = null;
  engine.watch(() => {
    const { recording, config } = engine;
    const settings = config?.settings;
    const isOn = recording !== null && settings !== undefined && settings.sources.microphone !== "off";
    const { microphone, lang } = settings?.sources ?? {};
    const name = isOn ? JSON.stringify([recording.key, microphone, lang, settings.microphoneAskedAtMs]) : "";
    if (name === (listening?.name ?? "")) return;
    void listening?.opened.then((close) => close());
    listening = isOn
      ? { name, opened: listen(engine, host, { key: recording.key, sources: settings.sources }) }
      : null;
  });
}

async function listen(
  engine: Engine,
  host: SpeechHost,
  { key, sources }: { readonly key: string; readonly sources: Sources },
): Promise<() => void> {
  const { lang } = sources;
  const add = (item: Item): void => void engine.add(key, item).catch((error) => engine.report(key, error));
  const id = (): string => crypto.randomUUID();
  const events: SpeechEvents = {
    mediaTimeMs: () => engine.mediaTimeMs(key),
    began: (mediaTimeMs) => {
      add({ kind: "voice", id: id(), activity: "speaking", mediaTimeMs });
      host.capture(key);
    },
    ended: (mediaTimeMs) => add({ kind: "voice", id: id(), activity: "silent", mediaTimeMs }),
    recorded: ({ startMs, ...recording }) =>
      add({ kind: "audio", id: id(), mediaTimeMs: startMs, lang: lang === "" ? null : lang, ...recording }),
  };
  try {
    if (sources.microphone === "recognise") {
      return recognise(lang, {
        ...events,
        said: ({ text, startMs, endMs }) =>
          add({ kind: "transcript", id: id(), mediaTimeMs: startMs, endMs, text, lang, speaker: "viewer" }),
        refused: (error) => engine.report(key, error),
      });
    }
    const microphone = await Microphone.open(events);
    return () => microphone.close();
  } catch (error) {
    engine.report(key, error);
    return () => undefined;
  }
}
