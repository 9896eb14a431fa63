/** What an editor does with a session as a whole: delete, fork, rename. The use cases of the commands. */

import { deleteOwn, forkOwn, type OpenOwn, openOwnAgain, renameOwn } from "@continuo/agents/catalog";
import { type PlacesAt, placesOf } from "@continuo/files";
import { forkNativeSession, renameNativeSession, trashNativeSession } from "@continuo/native/editing";
import { ownId } from "./ids.ts";
import { type FoundForEditor, findSession } from "./look-up.ts";

/** To the trash, from which `continuo session restore` takes it back; what began here is deleted. */
export async function deleteSession({ hit }: FoundForEditor, places: PlacesAt): Promise<void> {
  if (hit.kind === "own") return await withOwn(places, (own) => deleteOwn(hit.row, own));
  const { agent, sessionId, location, cwd = null } = hit.native.found;
  await trashNativeSession(
    { agent, sessionId, location, cwd },
    { places: placesOf(places), now: new Date() },
  );
}

/** Returns the id of the copy. `at`: the message up to which it goes; left out, all of it. */
export async function forkSession(
  { hit }: FoundForEditor,
  at: string | undefined,
  places: PlacesAt,
): Promise<string> {
  const wish = at === undefined ? {} : { at };
  if (hit.kind === "native") {
    const { agent, sessionId } = await forkNativeSession(hit.native.found, {
      places: placesOf(places),
      ...wish,
    });
    return `${agent}:${sessionId}`;
  }
  return await withOwn(places, async (own) => ownId((await forkOwn(hit.row, own, at)).session.sessionId));
}

/** Returns the title as the next list has it. */
export async function renameSession(id: string, title: string, places: PlacesAt): Promise<string> {
  const { hit } = await findSession(id, places);
  if (hit.kind === "native") await renameNativeSession(hit.native.found, title, { places: placesOf(places) });
  else await withOwn(places, (own) => renameOwn(hit.row, title, own));
  return title;
}

async function withOwn<T>(places: PlacesAt, use: (own: OpenOwn) => Promise<T>): Promise<T> {
  await using own = await openOwnAgain(places);
  return await use(own);
}
