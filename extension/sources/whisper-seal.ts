/**
 * Whisper from the person's server, sealed: its code runs in a worker of a page without an origin, whose policy lets it
 * reach nothing. It receives its files before any recording, and after that it only answers: no code can send a voice
 * off this machine.
 */

import { LIMITS } from "../limits.ts";
import type { Server } from "../messages/messages.ts";
import { readServerFile } from "./whisper-files.ts";
import type { SpeechQuestion } from "./whisper-model.ts";
import type { FileAnswer, SealedAnswer } from "./whisper-worker.ts";
import type { TextAnswer, TextWorker } from "./worker-reader.ts";

const FRAME = "/whisper.html";
const CODE = "/whisper-reader.js";
/** Allows only plain names of files in folders: no address, no query and no `..`. */
const FILE = /^(?:[\w-][\w.-]{0,99}\/){0,3}[\w-][\w.-]{0,99}$/u;

export function startSealedWhisper(server: Server): TextWorker<SpeechQuestion> {
  const speech = new MessageChannel();
  const files = new MessageChannel();
  const ready = Promise.withResolvers<void>();
  let answer = (_: TextAnswer): void => undefined;
  speech.port1.onmessage = ({ data }: MessageEvent<SealedAnswer>) => {
    if ("ready" in data) {
      files.port1.close();
      ready.resolve();
    } else {
      if ("error" in data) ready.reject(new Error(data.error));
      answer(data);
    }
  };
  let count = 0;
  files.port1.onmessage = ({ data, ports }: MessageEvent<unknown>) => {
    const isAllowed = typeof data === "string" && FILE.test(data) && count++ < LIMITS.whisperFiles;
    void (isAllowed ? fileOf(server, data) : refused(data)).then((found) => ports[0]?.postMessage(found));
  };
  const frame = document.createElement("iframe");
  frame.src = FRAME;
  frame.onload = () => void seal(frame, [speech.port2, files.port2]).catch(ready.reject);
  document.body.append(frame);
  return {
    ask: (question, answered) => {
      answer = answered;
      const send = (): void => speech.port1.postMessage(question);
      ready.promise.then(send, (error: unknown) => answered({ error: String(error) }));
    },
    terminate: () => {
      for (const { port1 } of [speech, files]) port1.close();
      // The worker ends with its page.
      frame.remove();
    },
  };
}

/** The page has no origin and cannot load a script of the extension as a worker: it receives the script as a text. */
async function seal(frame: HTMLIFrameElement, ports: readonly MessagePort[]): Promise<void> {
  const code = await (await fetch(CODE)).text();
  frame.contentWindow?.postMessage(code, "*", [...ports]);
}

async function fileOf(server: Server, name: string): Promise<FileAnswer> {
  try {
    return { blob: await readServerFile(server, name) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

async function refused(name: unknown): Promise<FileAnswer> {
  return { error: `${JSON.stringify(name)?.slice(0, 100)} is no file of Whisper` };
}
