/** Finds out if a request comes from a program of the user who runs the server, if the system reports it. */

import { ContinuoError } from "@continuo/core/model";
import { userOfPeer } from "@continuo/files";
import type { Peer, ServerContext } from "../context/index.ts";

const ROOT = 0;

interface Users {
  /** Not known on Windows. */
  readonly own?: number | undefined;
  readonly userOf?: typeof userOfPeer;
}

/**
 * For a server that only its machine can reach. Root is accepted: it can read the server's memory anyway, and relays of
 * browsers outside of a virtual machine run as root. Returns `false` if the system does not say. Errors: `forbidden`.
 */
export async function assertSameUser(
  { connection }: Peer,
  { reach, report }: Pick<ServerContext, "reach" | "report">,
  { own = process.getuid?.(), userOf = userOfPeer }: Users = {},
): Promise<boolean> {
  if (reach !== "machine" || connection === undefined || own === undefined) return false;
  const user = await userOf(connection);
  if (user === "not told") return false;
  if (user === own || user === ROOT) return true;
  report(`warning: refused a page for ${user === "gone" ? "a program that left" : `user ${user}`}`);
  throw new ContinuoError("forbidden", "a program of another user cannot open a page of this server", {
    hint: "Start the server with --public-url if a proxy is in front of it.",
  });
}
