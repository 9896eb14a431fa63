/** The worker that converts speech to text, with the files of the extension, or sealed with those of a server. */

import {
  FOLDER,
  openWhisper,
  ownFile,
  type Recogniser,
  type SpeechQuestion,
  textOf,
  WHISPER_LIBRARY,
} from "./whisper-model.ts";
import type { TextAnswer } from "./worker-reader.ts";

/** The answer to a request for a file; `blob` is `null` for one that does not exist. */
export type FileAnswer = { readonly blob: Blob | null } | { readonly error: string };

/** The worker's messages: it is ready, or it answers. */
export type SealedAnswer = { readonly ready: true } | TextAnswer;

interface AnswerPort {
  postMessage(answer: SealedAnswer): void;
}

interface WorkerScope extends AnswerPort {
  onmessage: ((event: MessageEvent<SpeechQuestion | null>) => void) | null;
}

const RUNTIME = "ort-wasm-simd-threaded.asyncify";

/** Answers one question at a time: from the extension, or, if it is sealed, from the first port that it receives. */
export function serveWhisper(): void {
  const scope = globalThis as unknown as WorkerScope;
  let opened: Promise<Recogniser> | null = null;
  scope.onmessage = ({ data, ports }) => {
    const [speech, files] = ports;
    if (speech !== undefined && files !== undefined) serveSealed(speech, files);
    else if (data !== null) {
      opened ??= openWhisper(ownFile(WHISPER_LIBRARY), FOLDER);
      answer(opened, data, scope);
    }
  };
}

function answer(opened: Promise<Recogniser>, question: SpeechQuestion, scope: AnswerPort): void {
  void opened
    .then((recognise) => textOf(recognise, question))
    .then((text) => scope.postMessage({ text }))
    .catch((error: unknown) => scope.postMessage({ error: String(error) }));
}

/** Everything is loaded before the first question, because no file can be requested after it. */
function serveSealed(speech: MessagePort, files: MessagePort): void {
  const opened = openSealed(files);
  opened.then(
    () => speech.postMessage({ ready: true } satisfies SealedAnswer),
    (error: unknown) => speech.postMessage({ error: String(error) } satisfies SealedAnswer),
  );
  speech.onmessage = ({ data }: MessageEvent<SpeechQuestion>) => answer(opened, data, speech);
}

async function openSealed(files: MessagePort): Promise<Recogniser> {
  const addressOf = async (name: string, type: string): Promise<string> => {
    const blob = await fileOf(files, name);
    if (blob === null) throw new Error(`the server has no file ${name}`);
    return URL.createObjectURL(new Blob([blob], { type }));
  };
  const { fetch: real } = globalThis;
  // The library asks for the files of the model by their addresses.
  globalThis.fetch = async (input, init) => {
    const address = typeof input === "string" ? input : input instanceof URL ? input.href : input.url;
    if (address.startsWith("blob:")) return await real(input, init);
    const blob = await fileOf(files, address.slice(address.indexOf(FOLDER) + FOLDER.length));
    return new Response(blob, { status: blob === null ? 404 : 200 });
  };
  const [library, mjs, wasm] = await Promise.all([
    addressOf(WHISPER_LIBRARY, "text/javascript"),
    addressOf(`${RUNTIME}.mjs`, "text/javascript"),
    addressOf(`${RUNTIME}.wasm`, "application/wasm"),
  ]);
  return await openWhisper(library, { mjs, wasm });
}

async function fileOf(files: MessagePort, name: string): Promise<Blob | null> {
  const { port1, port2 } = new MessageChannel();
  const answered = Promise.withResolvers<FileAnswer>();
  port1.onmessage = ({ data }: MessageEvent<FileAnswer>) => answered.resolve(data);
  files.postMessage(name, [port2]);
  const found = await answered.promise;
  port1.close();
  if ("error" in found) throw new Error(found.error);
  return found.blob;
}
