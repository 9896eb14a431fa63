/**
 * Reads the text of pictures in a worker, with Tesseract compiled to WebAssembly. Program and data are files of the
 * extension: nothing is loaded from other places.
 */

import { sureText } from "./sure-text.ts";
import type { TextAnswer } from "./worker-reader.ts";

/** A picture as a file of the only type that the worker reads. */
export interface TextQuestion {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The used part of `tesseract.js-core`, which comes without types. */
interface Tesseract {
  readonly FS: { writeFile(path: string, bytes: Uint8Array): void };
  readonly TessBaseAPI: new () => Reader;
}

interface Reader {
  /** Returns 0 if the data of the language exists. */
  Init(folder: null, language: string, engine: number): number;
  /** Reads the file `/input`, upright and without rotation. Returns 1 if it is not a picture. */
  SetImageFile(orientation: number, angle: number): number;
  Recognize(monitor: null): number;
  GetTSVText(page: number): string;
}

interface WorkerScope {
  TesseractCore(options: {
    readonly locateFile: (name: string) => string;
    readonly TesseractProgress: () => void;
    readonly print: () => void;
    readonly printErr: () => void;
  }): Promise<Tesseract>;
  importScripts(...urls: readonly string[]): void;
  postMessage(answer: TextAnswer): void;
  onmessage: ((event: { readonly data: TextQuestion }) => void) | null;
}

/** The neural engine, which is the only one in this build. */
const ENGINE = 1;
const FOLDER = "/text/";

/**
 * The data of the language. The npm package does not include the folder, because its files are as large as the rest of
 * the package.
 */
export const TEXT_DATA = "/text/eng.traineddata.gz";

/** Answers one question after the other. */
export function serveTextReader(): void {
  const scope = globalThis as unknown as WorkerScope;
  let opened: Promise<(picture: Uint8Array) => string> | null = null;
  scope.onmessage = ({ data }) => {
    opened ??= open(scope);
    void opened
      .then((read) => scope.postMessage({ text: read(data.bytes) }))
      .catch((error: unknown) => scope.postMessage({ error: String(error) }));
  };
}

async function open(scope: WorkerScope): Promise<(picture: Uint8Array) => string> {
  scope.importScripts(`${FOLDER}tesseract-core-simd-lstm.js`);
  const silent = (): void => undefined;
  const [tesseract, data] = await Promise.all([
    scope.TesseractCore({
      locateFile: (name) => `${FOLDER}${name}`,
      TesseractProgress: silent,
      print: silent,
      printErr: silent,
    }),
    readData(),
  ]);
  tesseract.FS.writeFile("eng.traineddata", data);
  const reader = new tesseract.TessBaseAPI();
  if (reader.Init(null, "eng", ENGINE) !== 0) throw new Error("the data of the language is damaged");
  return (picture) => {
    tesseract.FS.writeFile("/input", picture);
    if (reader.SetImageFile(1, 0) !== 0) throw new Error("the picture cannot be read");
    reader.Recognize(null);
    return sureText(reader.GetTSVText(0));
  };
}

async function readData(): Promise<Uint8Array> {
  const { body } = await fetch(TEXT_DATA);
  if (body === null) throw new Error("the data of the language is missing");
  const unpacked = new Response(body.pipeThrough(new DecompressionStream("gzip")));
  return new Uint8Array(await unpacked.arrayBuffer());
}
