/**
 * The right of the connections that come through the socket for editors: a secret that is new at each start, and that
 * only this process knows. The store of the server may belong to several machines, so it has no token for them.
 */

import { randomBytes, timingSafeEqual } from "node:crypto";
import { parseScope } from "@continuo/core/wire";
import type { Places } from "@continuo/files";
import type { Authenticate } from "@continuo/server";
import { type EditorSocket, openEditorSocket } from "../sockets/index.ts";

export interface EditorAccess {
  /** Accepts the secret in a header, and everything that the server accepts otherwise. */
  readonly authenticate: Authenticate;
  /** Opens the socket. A server that the network can reach has none, because it is not only for this user. */
  open(server: ReachableServer, places: Places): Promise<EditorSocket>;
}

interface ReachableServer {
  readonly url: string;
  readonly reach: "machine" | "network";
}

/** The secret may only be used for the sessions of this machine, not for channels or tokens. */
export function editorAccess(workspaceId: string, others: Authenticate): EditorAccess {
  const secret = `editor_${randomBytes(32).toString("base64url")}`;
  const expected = Buffer.from(secret);
  const scopes = [parseScope("machine:read,write")];
  return {
    async authenticate(credentials, peer) {
      const given = Buffer.from(credentials.secret ?? "");
      const isEditor =
        credentials.sentAs === "header" &&
        given.length === expected.length &&
        timingSafeEqual(given, expected);
      if (!isEditor) return await others(credentials, peer);
      return { tokenId: null, workspaceId, handle: null, page: null, scopes, peer };
    },
    async open({ url, reach }, places) {
      if (reach === "machine") return await openEditorSocket({ url, secret }, places);
      return { path: null, [Symbol.asyncDispose]: async () => undefined };
    },
  };
}
