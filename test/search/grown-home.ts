/** Everything that the index holds of the texts of a home, so that two of them can be compared. */

import type { Places } from "@continuo/agents";
import { indexPathOf, passagesOf, useIndex } from "@continuo/native/index-file";

/** A time long after every write, so that no file counts as being written now. */
export const LATER: number = Date.now() + 86_400_000;

export interface IndexedText {
  readonly key: string;
  readonly turns: readonly {
    readonly number: number;
    readonly passages: readonly { readonly text: string }[];
  }[];
}

/** Returns the content without the numbers of its rows. */
export async function contentOf(places: Places): Promise<readonly IndexedText[]> {
  const used = await useIndex(indexPathOf(places), "read", (database) => {
    const sessions = database.prepare(
      "select id, key, source, stamp, beside, cut_chars from sessions order by key",
    );
    return sessions.all().map(({ id, ...session }) => ({
      ...session,
      key: String(session.key),
      turns: database
        .prepare("select * from turns where session = ? order by number")
        .all(Number(id))
        .map(({ id: row, session: _, chunk, ...turn }) => ({
          ...turn,
          number: Number(turn.number),
          passages: passagesOf(database, { chunk: Number(chunk), number: Number(turn.number) }),
          words: database.prepare("select count(*) as count from words where rowid = ?").get(Number(row))
            ?.count,
        })),
    }));
  });
  if (used.state !== "ready") throw new Error(`the index is ${used.state}`);
  return used.value;
}
