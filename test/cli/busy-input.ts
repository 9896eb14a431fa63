/** Prints a prompt with the text from standard input, and is busy for longer than it waits for this text. */

import { TALK_LIMITS } from "@continuo/agents/conversations";
import { readInput } from "../../src/cli/chat/input.ts";

const options = { signal: new AbortController().signal, note: (text: string) => process.stderr.write(text) };
const input = readInput("review", { stdin: process.stdin }, options);
// This loop blocks the event loop on purpose.
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TALK_LIMITS.firstInputMs + 500);
process.stdout.write(await input);
