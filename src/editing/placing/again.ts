/** An edit made once more where its agent wrote between the reading and the writing. */

import { isContinuoError } from "../../model/index.ts";

/** Who writes faster than that has the session open. */
const MAX_TRIES = 3;

/** @param edit reads the session anew each time. Errors: its own. */
export async function againOnConflict<T>(edit: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await edit();
    } catch (error) {
      const isNothingWritten = isContinuoError(error, "conflict") && error.details?.isWritten === false;
      if (!isNothingWritten || tries === MAX_TRIES) throw error;
    }
  }
}
