/**
 * Lets an editor of the same user connect to the agent host through a socket in a private folder: VS Code can be
 * given the path of a socket, but it sends no token in a header. Only this user can open the socket, so the viewer or
 * the server adds its own token to each connection.
 */

import { connect, createServer, type Socket } from "node:net";
import type { Places } from "@continuo/files";
import { listens, socketPath } from "./private-socket.ts";

const NAME = "vscode";
const MAX_CONNECTIONS = 32;
/** The largest request line with its headers. */
const MAX_HEAD_BYTES = 16_384;
const MAX_HEAD_MS = 5_000;
const END_OF_HEAD = "\r\n\r\n";
/** Headers of the editor that are not passed on, because the host must not trust them. */
const LEFT_OUT = /^(?:host|authorization|cookie|origin):/iu;

export interface EditorSocket extends AsyncDisposable {
  /** `null` if a socket cannot be created, or if another process has the socket. */
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

/** Sends the request to the agent host, whatever path the editor asks for. */
function toHead(head: string, { host, secret }: { readonly host: string; readonly secret: string }): string {
  const [, ...lines] = head.split("\r\n");
  const headers = lines.filter((line) => !LEFT_OUT.test(line));
  const all = ["GET /v1/ahp HTTP/1.1", `Host: ${host}`, `Authorization: Bearer ${secret}`, ...headers];
  return all.join("\r\n") + END_OF_HEAD;
}
