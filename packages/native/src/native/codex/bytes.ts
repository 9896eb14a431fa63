/** The facts that the bytes of a rollout give before it is read. */

import { isCompressed } from "@continuo/files/records";
import { type FoundSession, type TestBytes, testFiles } from "../kit/index.ts";

/** The field of a first line whose file continues another one. */
const BASE = "history_base";
const LINE_FEED = 0x0a;

export async function filter(
  found: readonly FoundSession[],
  begin: () => TestBytes,
): Promise<readonly FoundSession[]> {
  return found.filter((one) => mayHold(one, begin()));
}

/** True for a compressed file, and for one that continues the file of another thread. */
function mayHold({ files }: FoundSession, test: TestBytes): boolean {
  return files.some((file, at) => {
    if (isCompressed(file.path)) return true;
    let isFirst = true;
    return testFiles([file], (bytes, rest) => {
      const continues = isFirst && firstLine(bytes).includes(BASE);
      isFirst = false;
      return continues || test(bytes, at < files.length - 1 ? "more" : rest);
    });
  });
}

function firstLine(bytes: Buffer): Buffer {
  const end = bytes.indexOf(LINE_FEED);
  return end === -1 ? bytes : bytes.subarray(0, end);
}
