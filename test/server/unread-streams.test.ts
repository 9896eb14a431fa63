/**
 * Event streams whose clients read nothing for a while: what the server holds for them, and that other streams
 * continue.
 */

import { setFlagsFromString } from "node:v8";
import { expect, test } from "vitest";
import { longStream } from "./long-stream.ts";

setFlagsFromString("--expose-gc");
const stream = longStream();
const { append, open } = stream;

test("a reader at the end that stops reading releases its page, and receives every record when it reads again", {
  timeout: 60_000,
}, async () => {
  await append(1);
  const reader = await open();
  const numbers: number[] = [];
  const next = async (): Promise<void> => {
    const { value } = await reader.read();
    const text = Buffer.from(value ?? []).toString();
    for (const [, number] of text.matchAll(/"(\d)x/gu)) numbers.push(Number(number));
  };
  await next();
  await append(1);
  await next();
  // The wait is longer than a reader may stop reading.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await append(3);
  while (numbers.length < 5) await next();
  expect(numbers).toEqual([0, 0, 0, 1, 2]);
  await reader.cancel();
});
