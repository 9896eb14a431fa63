/** The messages that a history begins with: the first rows of a session in a database, up to what is reverted. */

import type { Message } from "@continuo/core/model";
import type { FoundSession } from "../kit/index.ts";
import { revertedMessage } from "./index-fold.ts";
import { FIRST_ROWS } from "./limits.ts";
import { toMessages } from "./messages.ts";
import { openSource } from "./read-source.ts";
import { readAll, readOr, readParts } from "./source.ts";

/** Errors: `not_found`, `unreadable`. */
export async function readFirstMessages(found: FoundSession): Promise<readonly Message[]> {
  const source = await openSource(found);
  try {
    // An export is in memory as a whole.
    if (source.inMemory) return [];
    const end = source.begin();
    try {
      const session = readOr(() => source.session(), null, ignore);
      const reverted = revertedMessage(session?.data ?? {});
      const messages: Message[] = [];
      let rows = 0;
      for (const record of readAll(() => source.messages("oldest"), ignore)) {
        if (record.id === reverted || rows === FIRST_ROWS) break;
        rows += 1;
        messages.push(...toMessages(record, readParts(source, record, ignore), { native: false }));
      }
      return linked(messages);
    } finally {
      end();
    }
  } finally {
    source.close();
  }
}

function ignore(): void {
  // A scan reports the damage.
}

function linked(messages: readonly Message[]): Message[] {
  return messages.map((message, at) => {
    const before = messages[at - 1];
    return before === undefined ? message : { ...message, parentId: before.id };
  });
}
