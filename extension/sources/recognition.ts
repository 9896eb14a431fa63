/** The browser's own speech recognition, where it exists: text instead of recordings. */

import type { SpeechEvents } from "./voice.ts";

export interface RecognizedSpeech {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

interface Result {
  readonly isFinal: boolean;
  readonly [at: number]: { readonly transcript: string } | undefined;
}

/** The used part of the API, whose types no library of TypeScript has. */
interface Recogniser {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  onspeechstart: (() => void) | null;
  onresult: ((event: { readonly resultIndex: number; readonly results: ArrayLike<Result> }) => void) | null;
  onerror: ((event: { readonly error: string }) => void) | null;
  onend: (() => void) | null;
  start(): void;
  stop(): void;
}

type RecogniserClass = new () => Recogniser;

interface Global {
  readonly SpeechRecognition?: RecogniserClass;
  readonly webkitSpeechRecognition?: RecogniserClass;
}

const AGAIN_MS = 1_000;

export function canRecognise(): boolean {
  return recogniserClass() !== undefined;
}

/** Errors that another try does not change: the person, or the browser, does not allow it. */
const REFUSALS = ["not-allowed", "service-not-allowed"];

export interface RecognitionEvents extends Pick<SpeechEvents, "mediaTimeMs" | "began"> {
  said(said: RecognizedSpeech): void;
  /** The browser does not recognise speech here. */
  refused(error: unknown): void;
}

/** Listens until the returned function is called. */
export function recognise(
  lang: string,
  { mediaTimeMs, began, said, refused }: RecognitionEvents,
): () => void {
  const Recogniser = recogniserClass();
  if (Recogniser === undefined) return () => undefined;
  let isOn = true;
  let startMs = mediaTimeMs();
  const recogniser = new Recogniser();
  Object.assign(recogniser, { lang, continuous: true, interimResults: false });
  recogniser.onspeechstart = () => {
    startMs = mediaTimeMs();
    began(startMs);
  };
  recogniser.onresult = ({ resultIndex, results }) => {
    for (const result of Array.from(results).slice(resultIndex)) {
      const text = result[0]?.transcript.trim() ?? "";
      if (result.isFinal && text !== "") said({ text, startMs, endMs: Math.max(startMs, mediaTimeMs()) });
    }
    startMs = mediaTimeMs();
  };
  recogniser.onerror = ({ error }) => {
    if (!isOn || !REFUSALS.includes(error)) return;
    isOn = false;
    refused(new DOMException("the browser does not recognise speech here", "NotAllowedError"));
  };
  // It ends by itself after a silence.
  recogniser.onend = () => {
    if (isOn) setTimeout(() => isOn && recogniser.start(), AGAIN_MS);
  };
  recogniser.start();
  return () => {
    isOn = false;
    recogniser.stop();
  };
}

function recogniserClass(): RecogniserClass | undefined {
  const { SpeechRecognition, webkitSpeechRecognition } = globalThis as unknown as Global;
  return SpeechRecognition ?? webkitSpeechRecognition;
}
