/**
 * The browser's own speech recognition, where it exists: text instead of recordings. On some machines the browser recognises
 * speech itself; otherwise it sends the voice to a service of its maker.
 */

import { ContinuoError } from "@continuo/core/model";
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
  start(): void;
  stop(): void;
  abort?(): void;
}

interface RecogniserClass {
  new (): Recogniser;
  available?(options: {
    readonly langs: readonly string[];
    readonly processLocally: boolean;
  }): Promise<string>;
}

interface Global {
  readonly SpeechRecognition?: RecogniserClass;
  readonly webkitSpeechRecognition?: RecogniserClass;
}

const AGAIN_MS = 1_000;

export function canRecognise(): boolean {
  return recogniserClass() !== undefined;
}

/** True if the browser recognises this language on this machine, so that no voice leaves it. */
export async function canRecogniseHere(lang: string): Promise<boolean> {
  const options = { langs: [langOf(lang)], processLocally: true };
  try {
    return (await recogniserClass()?.available?.(options)) === "available";
  } catch {
    // A browser that knows no such question.
    return false;
  }
}

/** The errors of the browser that a person can mend, in their words; the others end with a silence. */
const ERRORS: Readonly<
  Record<string, { readonly message: string; readonly hint: string; readonly isFinal: boolean }>
> = {
  "not-allowed": {
    message: "the browser does not allow the microphone",
    hint: "Allow it for this extension, and press Try again.",
    isFinal: true,
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
  },
  network: {
    message: "the browser does not reach its service for speech",
    hint: "Check the connection to the internet; it tries again by itself.",
    isFinal: false,
  },
};

/** An error of the browser in the words of the panel. */
function recognitionError(code: string): ContinuoError {
  const {
    message = `the browser's recognition of speech failed: ${code}`,
    hint = "Choose in Settings to record, with a transcriber on the server.",
  } = ERRORS[code] ?? {};
  return new ContinuoError("unavailable", message, { hint });
}

export interface RecognitionEvents extends Pick<SpeechEvents, "mediaTimeMs" | "began"> {
  said(said: RecognizedSpeech): void;
  /** The browser cannot recognise speech at the moment; `null` when it does again. */
  failed(error: ContinuoError | null): void;
}

export interface RecognitionOptions {
  readonly lang: string;
  /** Nothing leaves this machine. */
  readonly isLocal: boolean;
}

/** Listens until the returned function is called, with `keep` for what is not finished. */
export function recognise(
  { lang, isLocal }: RecognitionOptions,
  { mediaTimeMs, began, said, failed }: RecognitionEvents,
): (unfinished: "keep" | "discard") => void {
  const Recogniser = recogniserClass();
  if (Recogniser === undefined) {
    failed(recognitionError("service-not-allowed"));
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
    for (const result of Array.from(results).slice(resultIndex)) {
      const text = result[0]?.transcript.trim() ?? "";
      if (result.isFinal && text !== "") said({ text, startMs, endMs: Math.max(startMs, mediaTimeMs()) });
    }
    startMs = mediaTimeMs();
  };
  recogniser.onerror = ({ error }) => {
    // A silence, or the end of this listening.
    if (!isOn || error === "no-speech" || error === "aborted") return;
    if (ERRORS[error]?.isFinal ?? true) isOn = false;
    failed(recognitionError(error));
  };
  // It ends by itself after a silence.
  recogniser.onend = () => {
    if (isOn) setTimeout(() => isOn && recogniser.start(), AGAIN_MS);
  };
  recogniser.start();
  return (unfinished) => {
    isOn = false;
    isDiscarded = unfinished === "discard";
    if (isDiscarded && recogniser.abort !== undefined) recogniser.abort();
    else recogniser.stop();
  };
}

function langOf(lang: string): string {
  return lang === "" ? navigator.language : lang;
}

function recogniserClass(): RecogniserClass | undefined {
  const { SpeechRecognition, webkitSpeechRecognition } = globalThis as unknown as Global;
  return SpeechRecognition ?? webkitSpeechRecognition;
}
