/**
 * Converts speech to text with transformers.js and a Whisper model. Both are files that the person put into the folder
 * `whisper` of the extension, or of the person's server: nothing is loaded from other places.
 */

/** Samples of one channel from -1 to 1, at 16 kHz. */
export interface SpeechQuestion {
  readonly samples: Float32Array;
  /** BCP 47; with `null`, the model detects it. */
  readonly lang: string | null;
}

export type Recogniser = (
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
    useWasmCache?: boolean;
    readonly backends: { readonly onnx: { readonly wasm?: { wasmPaths?: WasmPaths; numThreads?: number } } };
  };
  pipeline(task: "automatic-speech-recognition", model: string): Promise<Recogniser>;
}

/** The folder of the runtime, or the addresses of its two files. */
export type WasmPaths = string | { readonly mjs: string; readonly wasm: string };

/** The library. Whisper is installed if this file exists in `FOLDER`, or below `/v1/whisper/` of a server. */
export const WHISPER_LIBRARY = "transformers.min.js";
export const FOLDER = "/whisper/";
/** The folder of the model, inside `FOLDER`. It has the files as the maker of the model publishes them. */
const MODEL = "model";

/** Returns the address of a file in the folder of the extension into which the person puts the files of Whisper. */
export function ownFile(name: string): string {
  return `${FOLDER}${name}`;
}

export async function openWhisper(address: string, wasmPaths: WasmPaths): Promise<Recogniser> {
  // An address that the bundler does not follow, because the file is not part of the build.
  const library = (await import(/* @vite-ignore */ address)) as Transformers;
  if (typeof library.pipeline !== "function") throw new Error(`${WHISPER_LIBRARY} is not transformers.js`);
  const { env } = library;
  env.allowRemoteModels = false;
  env.allowLocalModels = true;
  env.localModelPath = FOLDER;
  env.useBrowserCache = false;
  env.useWasmCache = false;
  const { wasm } = env.backends.onnx;
  // Threads need a page that is isolated from other origins.
  if (wasm !== undefined) Object.assign(wasm, { wasmPaths, numThreads: 1 });
  return await library.pipeline("automatic-speech-recognition", MODEL);
}

export async function textOf(recognise: Recogniser, { samples, lang }: SpeechQuestion): Promise<string> {
  const language = lang === null ? {} : { language: lang.split("-")[0], task: "transcribe" };
  const { text } = await recognise(samples, { chunk_length_s: 30, ...language });
  return spokenText(text);
}

/** Removes the marks for sounds, such as `[BLANK_AUDIO]` and `(music)`. */
export function spokenText(text: string): string {
  return text
    .replace(/\[[^\]]*\]|\([^)]*\)|[♪♫]/gu, " ")
    .replace(/\s+/gu, " ")
    .trim();
}
