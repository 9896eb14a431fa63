/**
 * Opens pages of a server that another command runs, such as `continuo serve`: gets a code for the page with the known
 * token of that server.
 */

import { connect } from "node:net";
import { ContinuoError } from "@continuo/core/model";
import { accessOf, callServer } from "../channel/index.ts";
import type { Shell } from "../terminal/index.ts";
import { portOf } from "./address.ts";
import type { ViewFlags } from "./flags.ts";

const MAX_MS = 2_000;

export interface PageOfServer {
  /** The address of the page, which can have its own host name. */
  readonly origin: string;
  /** `null` from a server that requires no token. */
  readonly code: string | null;
}

/** Errors: those of `accessOf` and of the server. */
export async function pageOfServer(
  { origin, port, protocol }: URL,
  { readOnly }: ViewFlags,
  shell: Shell,
): Promise<PageOfServer> {
  const access = await accessOf({ server: origin }, shell);
  const { code, host } = await callServer(access, `/v1/pages/code${readOnly ? "?access=read" : ""}`, {});
  if (typeof code === "string" || code === null) {
    const isNamed = typeof host === "string" && /^[a-z\d-]+\.localhost$/u.test(host);
    return { origin: isNamed ? `${protocol}//${host}:${port}` : origin, code };
  }
  throw new ContinuoError("unavailable", `the server at ${origin} gave no code for its page`, {
    hint: "Check that it is a server of Continuo.",
  });
}

/** Resolves to true if a program listens at the address. */
export function listensAt(origin: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(portOf(origin), origin.hostname);
    const end = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.setTimeout(MAX_MS, () => end(false));
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });
}
