/**
 * The agent host for an editor of the same user, through a socket in the viewer's private folder: VS Code can name the
 * path of a socket, but sends no token in a header. Only the user can open the socket, so each connection gets the
 * token of this viewer.
 */

import { connect, createServer, type Socket } from "node:net";
import type { Places } from "@continuo/files";
import { listens, socketPath } from "./running-viewer.ts";

const NAME = "vscode";
const MAX_CONNECTIONS = 32;
/** The request line and its headers. */
const MAX_HEAD_BYTES = 16_384;
const MAX_HEAD_MS = 5_000;
const END_OF_HEAD = "\r\n\r\n";
/** Headers in which the viewer must believe nothing that an editor sends. */
const LEFT_OUT = /^(?:host|authorization|cookie|origin):/iu;

export interface EditorSocket extends AsyncDisposable {
  /** `null` if there can be no socket, or if another viewer has it. */
  readonly path: string | null;
}

/** Passes connections on to the server at `url`, with the token `secret`. */
export async function openEditorSocket(
  { url, secret }: { readonly url: string; readonly secret: string },
  places: Places,
): Promise<EditorSocket> {
  const path = socketPath(places, NAME);
  const open = new Set<Socket>();
  const server = createServer((near) => {
    open.add(near);
    near.once("close", () => open.delete(near)).on("error", () => undefined);
    if (open.size > MAX_CONNECTIONS) near.destroy();
    else passOn(near, { url: new URL(url), secret });
  });
  const isOpen = path !== null && (await listens(server, path));
  return {
    path: isOpen ? path : null,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      if (isOpen) await new Promise((resolve) => server.close(resolve));
    },
  };
}

function passOn(near: Socket, { url, secret }: { readonly url: URL; readonly secret: string }): void {
  let head = Buffer.alloc(0);
  near.setTimeout(MAX_HEAD_MS, () => near.destroy());
  near.on("data", function take(part: Buffer) {
    head = Buffer.concat([head, part]);
    const end = head.indexOf(END_OF_HEAD);
    if (end === -1 && head.length <= MAX_HEAD_BYTES) return;
    near.off("data", take).pause().setTimeout(0);
    if (end === -1 || end > MAX_HEAD_BYTES) return void near.destroy();
    const far = connect(Number(url.port), url.hostname.replace(/^\[|\]$/gu, ""));
    far.write(toHead(head.subarray(0, end).toString("latin1"), { host: url.host, secret }), "latin1");
    far.write(head.subarray(end + END_OF_HEAD.length));
    far.once("error", () => near.destroy()).once("close", () => near.destroy());
    near.once("close", () => far.destroy());
    near.pipe(far).pipe(near);
  });
}

/** For any requested path, the agent host answers. */
function toHead(head: string, { host, secret }: { readonly host: string; readonly secret: string }): string {
  const [, ...lines] = head.split("\r\n");
  const headers = lines.filter((line) => !LEFT_OUT.test(line));
  const all = ["GET /v1/ahp HTTP/1.1", `Host: ${host}`, `Authorization: Bearer ${secret}`, ...headers];
  return all.join("\r\n") + END_OF_HEAD;
}
