/** The models that answered in a session: each session is read once, and the index stores the result. */

import { isAgentName, isFailure, readAll } from "@continuo/core/model";
import { isJson, type PlacesAt, placesOf } from "@continuo/files";
import { lookUpSession, openNativeSession } from "@continuo/native";
import { indexPathOf, openRows } from "@continuo/native/index-file";
import { isOwn, type ListedSession } from "./rows.ts";
import type { OpenOwn } from "./store.ts";

export interface ModelIndex {
  /** Empty for a session that cannot be read, and for one that only its agent reads. */
  of(row: ListedSession, store: OpenOwn | null): Promise<readonly string[]>;
  save(): Promise<void>;
}

export function openModels(at: PlacesAt): ModelIndex {
  const places = placesOf(at);
  const memo = openRows(indexPathOf(places), Date.now(), "usage");
  const ofNative = async ({ agent, sessionId, location, cwd }: ListedSession): Promise<readonly string[]> => {
    if (!isAgentName(agent)) return [];
    const { found } = await lookUpSession({ agent, sessionId, location, cwd }, { places });
    const read = async (): Promise<readonly string[]> => {
      using session = await openNativeSession(found, { places });
      return session.details.models;
    };
    const what = `models ${sessionId}`;
    return found.files.length === 0 ? await read() : await memo.remember(found.files, { what }, read);
  };
  return {
    async of(row, store) {
      if (isOwn(row)) return store === null ? [] : await modelsOfOwn(row.sessionId, store);
      try {
        return await ofNative(row);
      } catch (error) {
        if (isFailure(error)) return [];
        throw error;
      }
    },
    save: () => memo.save("part"),
  };
}

async function modelsOfOwn(sessionId: string, { store }: OpenOwn): Promise<readonly string[]> {
  const models = new Set<string>();
  for await (const { data } of readAll(store, sessionId, { types: ["message_received"] })) {
    if (isJson(data) && typeof data.model === "string") models.add(data.model);
  }
  return [...models];
}
