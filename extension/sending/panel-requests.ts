/** Requests of the side panel to the engine, over a port that only pages of the extension can open. */

import type { NoteOperation } from "@continuo/core/client/live";
import { ContinuoError, isContinuoError } from "@continuo/core/model";
import { toShownAnswer } from "./answers.ts";
import type { Engine } from "./engine.ts";
import { newItemId } from "./items.ts";
import { requestJson, requestPicture } from "./requests.ts";
import { failureOf } from "./session.ts";
import { earlierSessions, pathOf, removedSessions, textsIn, thumbnailOf } from "./session-requests.ts";

export type PanelAction =
  | { readonly action: "remark"; readonly text: string }
  | { readonly action: "ask"; readonly question: string }
  | { readonly action: "operate"; readonly noteId: string; readonly operation: NoteOperation }
  | { readonly action: "answer"; readonly requestId: string; readonly text: string }
  | { readonly action: "keep"; readonly hash: string }
  | { readonly action: "expiring" }
  | { readonly action: "join"; readonly other: string }
  | { readonly action: "repair" }
  | { readonly action: "writers" }
  | { readonly action: "chooseWriter"; readonly name: string }
  | { readonly action: "picture"; readonly hash: string; readonly sequence: number }
  | { readonly action: "earlier" }
  /** Hides a session, or all sessions of a video; within a week, `restore` brings them back. */
  | { readonly action: "remove" | "restore"; readonly sessionId: string }
  | { readonly action: "removeVideo" | "restoreVideo"; readonly videoId: string }
  | { readonly action: "removed" }
  | { readonly action: "thumbnail" }
  | { readonly action: "notes" }
  | { readonly action: "texts" }
  | { readonly action: "page" }
  | { readonly action: "outline" };

/** An action on the session that has this key. The answer to a request has the same `id` as the request. */
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
  const path = pathOf(key);
  switch (request.action) {
    case "remark": {
      const mediaTimeMs = engine.mediaTimeMs(key);
      const remark = { kind: "remark", id: newItemId(), text: request.text, mediaTimeMs } as const;
      await engine.add(key, remark);
      engine.sender(key)?.remarked(remark);
      return null;
    }
    case "ask": {
      const answer = await clientOf(engine, key).ask(request.question, engine.mediaTimeMs(key));
      const view = engine.sender(key)?.view;
      if (view === undefined) throw notReady();
      return toShownAnswer(answer, view);
    }
    case "operate":
      return await clientOf(engine, key).operate(request.noteId, request.operation);
    case "answer": {
      const mediaTimeMs = engine.mediaTimeMs(key);
      return await clientOf(engine, key).answer(request.requestId, { text: request.text, mediaTimeMs });
    }
    case "keep":
      await requestJson(server, "POST", `${path}/blobs/${encodeURIComponent(request.hash)}/keep`);
      engine.sender(key)?.kept(request.hash);
      return null;
    case "join": {
      const other = pathOf(request.other);
      await engine.moveKey(request.other, async () => {
        // The tab leaves its earlier session. That session ends if it has no other tab.
        await requestJson(server, "DELETE", other);
        await requestJson(server, "POST", `${path}/join`, { key: request.other });
      });
      return null;
    }
    case "repair":
      // When the connection is open again, the sender sends the waiting items.
      await requestJson(server, "POST", `${path}/repair`);
      return null;
    case "chooseWriter":
      return await requestJson(server, "POST", `${path}/writer`, { name: request.name });
    case "picture":
      return await requestPicture(
        server,
        `${path}/blobs/${encodeURIComponent(request.hash)}?sequence=${request.sequence}`,
      );
    case "earlier":
      return await earlierSessions(server);
    case "texts":
      return await textsIn(server, key);
    case "expiring":
      // A server of an earlier version does not know this request, so the answer has no pictures.
      return await requestJson(server, "GET", `${path}/expiring`).catch((error: unknown) => {
        if (isContinuoError(error, "not_found")) return { pictures: [], access: [] };
        throw error;
      });
    case "notes":
    case "writers":
    case "page":
    case "outline":
      return await requestJson(server, "GET", `${path}/${request.action}`);
    case "thumbnail":
      return await thumbnailOf(server, key);
    case "removed":
      return await removedSessions(server);
    case "remove":
    case "restore": {
      const { sessionId, action } = request;
      return await requestJson(server, "POST", `${path}/${action}`, { sessionId });
    }
    case "removeVideo":
    case "restoreVideo": {
      const what = request.action === "removeVideo" ? "remove" : "restore";
      const video = `/v1/videos/${encodeURIComponent(request.videoId)}`;
      return await requestJson(server, "POST", `${video}/${what}`, {});
    }
  }
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
