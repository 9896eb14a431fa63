/**
 * Makes text of speech in a worker, with transformers.js and a Whisper model. Both are files that the person put into the
 * folder `whisper` of the extension: nothing is loaded from elsewhere.
 */

import type { TextAnswer } from "./worker-reader.ts";

/** Samples of one channel from -1 to 1, at 16 kHz. */
export interface SpeechQuestion {
  readonly samples: Float32Array;
  /** BCP 47; `null` lets the model find it. */
  readonly lang: string | null;
}

type Recogniser = (
  samples: Float32Array,
  options: Readonly<Record<string, unknown>>,
) => Promise<{ readonly text: string }>;

/** The used part of transformers.js. */
interface Transformers {
  readonly env: {
    allowRemoteModels: boolean;
    allowLocalModels: boolean;
    localModelPath: string;
    useBrowserCache: boolean;
    readonly backends: { readonly onnx: { readonly wasm?: { wasmPaths?: string; numThreads?: number } } };
  };
  pipeline(task: "automatic-speech-recognition", model: string): Promise<Recogniser>;
}

interface WorkerScope {
  postMessage(answer: TextAnswer): void;
  onmessage: ((event: { readonly data: SpeechQuestion }) => void) | null;
}

export const WHISPER_LIBRARY = "/whisper/transformers.min.js";
const FOLDER = "/whisper/";
/** The folder of the model below it, as the model's maker publishes it. */
const MODEL = "model";

/** Answers one question at a time. */
export function serveWhisper(): void {
  const scope = globalThis as unknown as WorkerScope;
  let opened: Promise<Recogniser> | null = null;
  scope.onmessage = ({ data }) => {
    opened ??= open();
    void opened
      .then((recognise) => textOf(recognise, data))
      .then((text) => scope.postMessage({ text }))
      .catch((error: unknown) => scope.postMessage({ error: String(error) }));
  };
}

async function open(): Promise<Recogniser> {
  // A path that the bundler does not follow: the file is not part of the build.
  const library = (await import(/* @vite-ignore */ WHISPER_LIBRARY)) as Transformers;
  const { env } = library;
  env.allowRemoteModels = false;
  env.allowLocalModels = true;
  env.localModelPath = FOLDER;
  env.useBrowserCache = false;
  const { wasm } = env.backends.onnx;
  // Threads need a page that is isolated from other origins.
  if (wasm !== undefined) Object.assign(wasm, { wasmPaths: FOLDER, numThreads: 1 });
  return await library.pipeline("automatic-speech-recognition", MODEL);
}

async function textOf(recognise: Recogniser, { samples, lang }: SpeechQuestion): Promise<string> {
  const language = lang === null ? {} : { language: lang.split("-")[0], task: "transcribe" };
  const { text } = await recognise(samples, { chunk_length_s: 30, ...language });
  return spokenText(text);
}

/** Without the marks for sounds, such as `[BLANK_AUDIO]` and `(music)`. */
export function spokenText(text: string): string {
  return text
    .replace(/\[[^\]]*\]|\([^)]*\)|[♪♫]/gu, " ")
    .replace(/\s+/gu, " ")
    .trim();
}
