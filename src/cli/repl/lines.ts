/** Lines of a file or a pipe. */

import { createInterface } from "node:readline";
import type { Shell } from "../terminal/index.ts";
import type { Input, InputEvent } from "./input.ts";

export function openLines(shell: Shell): Input {
  const waiting: string[] = [];
  let isEnded = false;
  let take: ((typed: InputEvent) => void) | null = null;
  let onInterrupt: (() => void) | null = null;
  const lines = createInterface({ input: shell.stdin, terminal: false });
  const next = (): void => {
    if (take === null) return;
    const text = waiting.shift();
    if (text === undefined && !isEnded) return;
    const done = take;
    take = null;
    done(text === undefined ? { type: "end" } : { type: "line", text });
  };
  lines.on("line", (line) => {
    if (onInterrupt !== null && line.trim() === "/cancel") onInterrupt();
    else waiting.push(line);
    // Lines that nobody reads stay in the file or the pipe.
    if (waiting.length >= 64) lines.pause();
    next();
  });
  lines.on("close", () => {
    isEnded = true;
    next();
  });
  const held = shell.holdInterrupts(() => {
    if (onInterrupt === null) process.exit(130);
    onInterrupt();
  });
  return {
    read() {
      if (!isEnded) lines.resume();
      return new Promise((done) => {
        take = done;
        next();
      });
    },
    kept: [],
    listen(listener) {
      onInterrupt = listener.onInterrupt;
      return {
        [Symbol.dispose]() {
          onInterrupt = null;
        },
      };
    },
    [Symbol.dispose]() {
      lines.close();
      held[Symbol.dispose]();
    },
  };
}
