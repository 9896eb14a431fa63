/** A transcriber for tests. */

import type { Transcriber } from "@continuo/live";

/** Returns the words that the file contains after its header. */
export function hearing(fails: () => boolean = () => false): Transcriber {
  return {
    name: "scripted",
    transcribe: async ({ bytes, startMs, endMs }) => {
      if (fails()) throw new Error("the transcriber is away");
      return { segments: [{ text: Buffer.from(bytes.subarray(12)).toString(), startMs, endMs }] };
    },
  };
}
