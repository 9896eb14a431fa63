/**
 * The viewer that already runs: another `continuo view` of the same user asks it for an address, by a socket in a
 * private folder. There is no secret on disk: only the user can open the socket.
 */

import { connect, createServer, type Socket } from "node:net";
import { text as readText } from "node:stream/consumers";
import type { PhoneRights } from "@continuo/core/wire/machine";
import type { Places } from "@continuo/files";
import { z } from "zod";
import { listens, socketPath } from "../sockets/index.ts";

/** The request of a command. */
export interface ViewerRequest {
  /** The facts on which the answer depends: the version, the store, the folders of agents. */
  readonly work: string;
  readonly access: "read" | "write";
  /** A link that pairs a phone with these rights, instead of an address for this machine. */
  readonly pair?: PhoneRights | undefined;
}

/** The address of the viewer, and a code that opens a page of it; or the link that was requested, with its QR code. */
export interface RunningViewer {
  readonly origin: string;
  readonly code: string;
  readonly rows?: readonly string[] | undefined;
}

const REQUEST: z.ZodType<ViewerRequest> = z.strictObject({
  work: z.string().max(100),
  access: z.enum(["read", "write"]),
  pair: z.enum(["read", "answer"]).optional(),
});
const ANSWER: z.ZodType<RunningViewer> = z.strictObject({
  origin: z.string().max(200),
  code: z.string().max(1_000),
  rows: z.array(z.string().max(200)).max(200).optional(),
});

const MAX_BYTES = 4_096;
const MAX_MS = 2_000;

/** `null` if no viewer runs, or if the one that runs cannot do what is asked. */
export async function askRunning(wish: ViewerRequest, places: Places): Promise<RunningViewer | null> {
  const path = socketPath(places);
  if (path === null) return null;
  const socket = connect(path);
  socket.setTimeout(MAX_MS, () => socket.destroy());
  socket.on("connect", () => socket.end(JSON.stringify(wish)));
  try {
    return ANSWER.parse(JSON.parse(await readText(socket)));
  } catch {
    // No process listens, or it has another version.
    return null;
  } finally {
    socket.destroy();
  }
}

/** `null` for a link to a viewer that has no address for phones. */
export type PageProvider = (wish: Pick<ViewerRequest, "access" | "pair">) => Promise<RunningViewer | null>;

/**
 * Answers other commands until it is disposed, if they want no more than is offered. If another viewer of this home
 * does so already, this one does not.
 */
export async function answerCommands(
  offered: ViewerRequest,
  pageFor: PageProvider,
  places: Places,
): Promise<AsyncDisposable> {
  const path = socketPath(places);
  const answer = async ({ work, access, pair }: ViewerRequest): Promise<RunningViewer | null> => {
    const isMore = (access === "write" || pair === "answer") && offered.access === "read";
    return work !== offered.work || isMore ? null : await pageFor({ access, pair });
  };
  // The request is complete when the other side ends its half of the connection.
  const server = createServer({ allowHalfOpen: true }, (socket) => void serve(socket, answer));
  if (path === null || !(await listens(server, path)))
    return { [Symbol.asyncDispose]: async () => undefined };
  return {
    [Symbol.asyncDispose]: async () => {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function serve(
  socket: Socket,
  answer: (request: ViewerRequest) => Promise<RunningViewer | null>,
): Promise<void> {
  socket.on("error", () => undefined);
  socket.setTimeout(MAX_MS, () => socket.destroy());
  try {
    let said = "";
    for await (const part of socket.setEncoding("utf8")) {
      said += part;
      if (said.length > MAX_BYTES) return;
    }
    socket.end(JSON.stringify(await answer(REQUEST.parse(JSON.parse(said)))));
  } catch {
    // Another version of the command sends another request.
    socket.end();
  } finally {
    socket.destroySoon();
  }
}
