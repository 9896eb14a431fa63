/** The key that signs webhooks, from a file such as a vault provides. It is read once, and no part of it is printed. */

import { readFile } from "node:fs/promises";
import { ContinuoError } from "@continuo/core/model";
import { assertWebhookKey } from "@continuo/server";

/** Errors: `usage`. */
export async function readWebhookKey(file: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new ContinuoError(
      "usage",
      `cannot read the key of webhooks in ${file}: ${code ?? "unknown error"}`,
      {
        hint: "Check the path and its permissions.",
        cause,
      },
    );
  }
  assertWebhookKey(text);
  return text;
}
