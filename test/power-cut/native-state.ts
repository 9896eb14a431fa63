/** A person's native sessions and trash on a machine, as text, so that two machines can be compared. */

import { listNativeSessions, listTrashedSessions, type Places, readNativeSession } from "@continuo/agents";

/** Returns a line for each session with its messages, and for each entry of the trash. */
export type NativeState = Readonly<Record<string, string>>;

export async function nativeState(places: Places): Promise<NativeState> {
  const state: Record<string, string> = {};
  for (const { agent, sessionId, title, location } of await listNativeSessions({
    places,
    archived: "include",
  })) {
    const { messages, problems } = await readNativeSession(location, { places });
    const said = messages.map(({ role, content }) => [role, content]);
    state[`${agent}:${sessionId}`] = JSON.stringify([title, said, problems.map(({ code }) => code)]);
  }
  for (const { info } of listTrashedSessions({ places })) {
    state[`trash ${info.agent}:${info.sessionId}`] = "";
  }
  return state;
}
