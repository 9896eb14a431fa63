/**
 * The browser's own speech recognition, where it exists: text instead of recordings. On some machines the browser
 * recognises speech locally; otherwise it sends the voice to a service of its maker.
 */

import { ContinuoError } from "@continuo/core/model";
import { LIMITS } from "../limits.ts";
import type { Close } from "./one-listener.ts";
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
  processLocally?: boolean;
  onspeechstart: (() => void) | null;
  onresult: ((event: { readonly resultIndex: number; readonly results: ArrayLike<Result> }) => void) | null;
  onerror: ((event: { readonly error: string }) => void) | null;
  onend: (() => void) | null;
  /** Listens to a `MediaStreamTrack`; without one, to the microphone. */
  start(track?: object): void;
  stop(): void;
  abort?(): void;
}

interface LanguageOptions {
  readonly langs: readonly string[];
  readonly processLocally: true;
}

interface RecogniserClass {
  new (): Recogniser;
  available?(options: LanguageOptions): Promise<string>;
  install?(options: LanguageOptions): Promise<boolean>;
}

interface Global {
  readonly SpeechRecognition?: RecogniserClass;
  readonly webkitSpeechRecognition?: RecogniserClass;
}

const AGAIN_MS = 1_000;

export function canRecognise(): boolean {
  return recogniserClass() !== undefined;
}

/**
 * The state of a language on this machine; `downloadable`: the browser can download it from its maker, and then no
 * voice leaves the machine.
 */
export type LocalSpeech = "available" | "downloadable" | "downloading" | "unavailable";

export async function localSpeech(lang: string): Promise<LocalSpeech> {
  try {
    const state = await recogniserClass()?.available?.(onThisMachine(lang));
    return STATES.find((one) => one === state) ?? "unavailable";
  } catch {
    // The browser does not have this function.
    return "unavailable";
  }
}

const STATES: readonly LocalSpeech[] = ["available", "downloadable", "downloading"];

/** Returns false if the browser does not have the language afterwards. */
export async function installSpeech(lang: string): Promise<boolean> {
  try {
    return (await recogniserClass()?.install?.(onThisMachine(lang))) ?? false;
  } catch {
    return false;
  }
}

function onThisMachine(lang: string): LanguageOptions {
  return { langs: [langOf(lang)], processLocally: true };
}

/** The errors of the browser that have an explanation; any other error ends the recognition with a general message. */
const ERRORS: Readonly<
  Record<
    string,
    {
      readonly message: string;
      readonly hint: string;
      readonly isFinal: boolean;
      readonly isOfMicrophone?: true;
    }
  >
> = {
  "not-allowed": {
    message: "the browser does not allow the microphone",
    hint: "Allow it for this extension, and press Try again.",
    isFinal: true,
    isOfMicrophone: true,
  },
  "service-not-allowed": {
    message: "this browser does not recognise speech",
    hint: "Choose in Settings to record, with a transcriber on the server.",
    isFinal: true,
  },
  "language-not-supported": {
    message: "this browser does not recognise the language",
    hint: "Choose another language in Settings.",
    isFinal: true,
  },
  "audio-capture": {
    message: "there is no microphone, or another program has it",
    hint: "Plug one in, or choose it in the settings of the browser.",
    isFinal: false,
    isOfMicrophone: true,
  },
  network: {
    message: "the browser does not reach its service for speech",
    hint: "Check the connection to the internet; it tries again by itself.",
    isFinal: false,
  },
};

/** An error of the browser, in the words of the panel. */
function recognitionError(code: string, heard: "microphone" | "tab"): ContinuoError {
  const known = ERRORS[code];
  const {
    message = `the browser's recognition of speech failed: ${code}`,
    hint = "Choose in Settings that your server transcribes it.",
  } = (heard === "tab" && known?.isOfMicrophone === true ? null : known) ?? {};
  return new ContinuoError("unavailable", message, { hint });
}

export interface RecognitionEvents extends Pick<SpeechEvents, "mediaTimeMs" | "began"> {
  said(said: RecognizedSpeech): void;
  /** The reason why the browser cannot recognise speech at the moment; `null` when it can again. */
  failed(error: ContinuoError | null): void;
}

export interface RecognitionOptions {
  readonly lang: string;
  /** True if speech is recognised on this machine, so that nothing leaves it. */
  readonly isLocal: boolean;
  /** The `MediaStreamTrack` that is used instead of the microphone; it stays open. */
  readonly track?: object;
}

/** Listens until the returned function is called, which settles after the last words of `keep` were recognised. */
export function recognise(
  { lang, isLocal, track }: RecognitionOptions,
  { mediaTimeMs, began, said, failed }: RecognitionEvents,
): Close {
  const Recogniser = recogniserClass();
  const fail = (code: string): void =>
    failed(recognitionError(code, track === undefined ? "microphone" : "tab"));
  if (Recogniser === undefined) {
    fail("service-not-allowed");
    return () => undefined;
  }
  let isOn = true;
  let isDiscarded = false;
  let startMs = mediaTimeMs();
  const recogniser = new Recogniser();
  Object.assign(recogniser, { lang: langOf(lang), continuous: true, interimResults: false });
  if (isLocal) recogniser.processLocally = true;
  recogniser.onspeechstart = () => {
    failed(null);
    startMs = mediaTimeMs();
    began(startMs);
  };
  recogniser.onresult = ({ resultIndex, results }) => {
    if (isDiscarded) return;
    // The video went back in the meantime.
    startMs = Math.min(startMs, mediaTimeMs());
    for (const result of Array.from(results).slice(resultIndex)) {
      const text = result[0]?.transcript.trim() ?? "";
      if (result.isFinal && text !== "") said({ text, startMs, endMs: Math.max(startMs, mediaTimeMs()) });
    }
    startMs = mediaTimeMs();
  };
  recogniser.onerror = ({ error }) => {
    // These errors report a silence, or the end of this listening.
    if (!isOn || error === "no-speech" || error === "aborted") return;
    if (ERRORS[error]?.isFinal ?? true) isOn = false;
    fail(error);
  };
  const start = (): void => (track === undefined ? recogniser.start() : recogniser.start(track));
  // The browser ends the recognition by itself after a silence.
  recogniser.onend = () => {
    if (isOn) setTimeout(() => isOn && start(), AGAIN_MS);
  };
  start();
  return async (unfinished) => {
    isOn = false;
    isDiscarded = unfinished === "discard";
    if (isDiscarded && recogniser.abort !== undefined) return recogniser.abort();
    const ended = Promise.withResolvers<void>();
    recogniser.onend = ended.resolve;
    setTimeout(ended.resolve, LIMITS.lastWordsMs);
    recogniser.stop();
    await ended.promise;
  };
}

function langOf(lang: string): string {
  return lang === "" ? navigator.language : lang;
}

function recogniserClass(): RecogniserClass | undefined {
  const { SpeechRecognition, webkitSpeechRecognition } = globalThis as unknown as Global;
  return SpeechRecognition ?? webkitSpeechRecognition;
}
