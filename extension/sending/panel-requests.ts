/** Requests of the side panel to the engine, over a port that only pages of the extension can open. */

import type { LiveSession, NoteOperation } from "@continuo/core/client/live";
import { ContinuoError } from "@continuo/core/model";
import { evidenceOf, recordOf, type WireEvent } from "@continuo/core/wire";
import { LIMITS } from "../limits.ts";
import type { Server } from "../messages/messages.ts";
import type { Engine } from "./engine.ts";
import { newItemId } from "./items.ts";
import { requestJson, requestPicture } from "./requests.ts";
import { failureOf } from "./session.ts";
import type { SpokenText } from "./view.ts";

export type PanelAction =
  | { readonly action: "remark"; readonly text: string }
  | { readonly action: "ask"; readonly question: string }
  | { readonly action: "operate"; readonly noteId: string; readonly operation: NoteOperation }
  | { readonly action: "answer"; readonly requestId: string; readonly text: string }
  | { readonly action: "keep"; readonly hash: string }
  | { readonly action: "join"; readonly other: string }
  | { readonly action: "repair" }
  | { readonly action: "picture"; readonly hash: string; readonly sequence: number }
  | { readonly action: "earlier" }
  | { readonly action: "notes" }
  | { readonly action: "spoken" }
  | { readonly action: "evidence"; readonly after: number };

/** An action on the session of a key; each has a number, which its answer repeats. */
export type PanelRequest = PanelAction & { readonly id: number; readonly key: string };

export type PanelAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: ReturnType<typeof failureOf> };

export async function answerPanel(engine: Engine, request: PanelRequest): Promise<PanelAnswer> {
  try {
    return { id: request.id, value: await act(engine, request) };
  } catch (error) {
    return { id: request.id, failure: failureOf(error) };
  }
}

async function act(engine: Engine, request: PanelRequest): Promise<unknown> {
  const { key } = request;
  const server = engine.config?.settings;
  if (server === undefined) throw notReady();
  const path = `/v1/live/${encodeURIComponent(key)}`;
  switch (request.action) {
    case "remark": {
      const mediaTimeMs = engine.mediaTimeMs(key);
      await engine.add(key, { kind: "remark", id: newItemId(), text: request.text, mediaTimeMs });
      return null;
    }
    case "ask":
      return await clientOf(engine, key).ask(request.question, engine.mediaTimeMs(key));
    case "operate":
      return await clientOf(engine, key).operate(request.noteId, request.operation);
    case "answer": {
      const mediaTimeMs = engine.mediaTimeMs(key);
      return await clientOf(engine, key).answer(request.requestId, { text: request.text, mediaTimeMs });
    }
    case "keep":
      await clientOf(engine, key).keep(request.hash);
      engine.sender(key)?.kept(request.hash);
      return null;
    case "join": {
      const other = `/v1/live/${encodeURIComponent(request.other)}`;
      await engine.moveKey(request.other, async () => {
        // The tab leaves its earlier session, which ends if it was the last one.
        await requestJson(server, "DELETE", other);
        await requestJson(server, "POST", `${path}/join`, { key: request.other });
      });
      return null;
    }
    case "repair":
      // The socket says when it is done, and what waits is sent then.
      await requestJson(server, "POST", `${path}/repair`);
      return null;
    case "picture":
      return await requestPicture(
        server,
        `${path}/blobs/${encodeURIComponent(request.hash)}?sequence=${request.sequence}`,
      );
    case "earlier":
      return await earlierSessions(server);
    case "notes":
      return await requestJson(server, "GET", `${path}/notes`);
    case "spoken":
      return await spokenIn(server, path);
    case "evidence":
      return await requestJson(server, "GET", `${path}/evidence?after=${request.after}`);
  }
}

/** The transcript of the newest session of a key, in the order of the video. */
async function spokenIn(server: Server, path: string): Promise<readonly SpokenText[]> {
  const spoken: SpokenText[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page = (await requestJson(server, "GET", `${path}/evidence?after=${after}`)) as {
      readonly events: readonly WireEvent[];
      readonly nextAfter: number | null;
    };
    for (const event of page.events) {
      const heard = evidenceOf(event);
      if (heard?.type !== "transcript_added") continue;
      const { startMs, endMs, text } = heard;
      spoken.push({ startMs, endMs, text, speaker: String(recordOf(event.data).speaker ?? "") });
    }
    after = page.nextAfter;
  }
  return spoken.sort((a, b) => a.startMs - b.startMs);
}

/** Newest first; those of joined tabs once. The server lists by key, in pages. */
async function earlierSessions(server: Server): Promise<readonly LiveSession[]> {
  const found = new Map<string, LiveSession>();
  for (let cursor: string | null = ""; cursor !== null && found.size < LIMITS.readSessions; ) {
    const query: string = cursor === "" ? "" : `?cursor=${encodeURIComponent(cursor)}`;
    const page = (await requestJson(server, "GET", `/v1/live${query}`)) as {
      readonly sessions: readonly LiveSession[];
      readonly nextCursor: string | null;
    };
    for (const session of page.sessions) found.set(session.sessionId, session);
    cursor = page.nextCursor;
  }
  const newest = [...found.values()].sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  return newest.slice(0, LIMITS.shownSessions);
}

function clientOf(
  engine: Engine,
  key: string,
): NonNullable<NonNullable<ReturnType<Engine["sender"]>>["client"]> {
  const client = engine.sender(key)?.client ?? null;
  if (client === null) throw notReady();
  return client;
}

function notReady(): ContinuoError {
  return new ContinuoError("unavailable", "the server was not reached yet", {
    hint: "Check in the settings that the URL and the token are right.",
  });
}
