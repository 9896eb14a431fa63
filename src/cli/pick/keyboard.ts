/** The keyboard of the picker: complete keys from the pieces in which a slow connection sends them. */

import { afterInput, type Shell } from "../terminal/index.ts";
import { isBegun, type Key, parseKeys } from "./keys.ts";

/** After this time, no further byte of a key follows an ESC. */
const ESCAPE_MS = 50;

export interface Keyboard {
  listen(): void;
  stop(): void;
}

export function createKeyboard({ stdin }: Shell, onKeys: (keys: readonly Key[]) => void): Keyboard {
  let begun = "";
  let alone: Disposable | undefined;
  const flush = (): void => {
    const input = begun;
    begun = "";
    if (input !== "") onKeys(parseKeys(input));
  };
  const onData = (chunk: string): void => {
    alone?.[Symbol.dispose]();
    begun += chunk;
    if (isBegun(begun)) alone = afterInput(ESCAPE_MS, flush);
    else flush();
  };
  return {
    listen() {
      stdin.setEncoding("utf8");
      stdin.on("data", onData);
    },
    stop() {
      alone?.[Symbol.dispose]();
      stdin.removeListener("data", onData);
    },
  };
}

/** Resolves at the next key. */
export async function nextKey({ stdin }: Shell): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  stdin.setEncoding("utf8");
  stdin.setRawMode(true);
  stdin.once("data", () => resolve());
  stdin.resume();
  await promise;
  stdin.setRawMode(false);
  stdin.pause();
}
