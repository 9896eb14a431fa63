/** The facts that the bytes of a session file give before it is read. */

import { type FoundSession, type TestBytes, testFiles } from "../kit/index.ts";

/** Messages of this role hold words of pi itself, which stand in no file: "Ran", "Command exited with code". */
const WITH_OWN_WORDS = '"bashExecution"';

export function hasOwnWords(bytes: Buffer): boolean {
  return bytes.includes(WITH_OWN_WORDS);
}

export async function filter(
  found: readonly FoundSession[],
  begin: () => TestBytes,
): Promise<readonly FoundSession[]> {
  return found.filter(({ files }) => {
    const test = begin();
    return testFiles(files, (bytes, rest) => hasOwnWords(bytes) || test(bytes, rest));
  });
}
