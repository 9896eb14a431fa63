/** The newest messages in the session file of an agent, for facts that its protocol does not report. */

import { type AgentName, ContinuoError, type Message } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { formatOf } from "@continuo/native";

export type ReadNewest = () => Promise<readonly Message[]>;

/** This is enough for the newest calls; the file is read for each answer that calls a tool. */
const NEWEST_BYTES = 4 * 1024 * 1024;

/** A file that cannot be read has no messages: the turn continues with what ACP reported. */
export function readNewestOf(agent: AgentName, sessionId: () => string, places: Places): ReadNewest {
  let location: string | null = null;
  return async () => {
    const format = await formatOf(agent);
    try {
      if (location === null) {
        for await (const found of format.find(places, {})) {
          if (found.sessionId === sessionId()) location = found.location;
        }
      }
      const found = location === null ? null : await format.recognise(location, places);
      if (found === null) return [];
      using opened = await format.open(found, places, { newestBytes: NEWEST_BYTES });
      return await Array.fromAsync(opened.history());
    } catch (error) {
      if (!(error instanceof ContinuoError)) throw error;
      return [];
    }
  };
}
