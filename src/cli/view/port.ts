/** Listens on the port of the viewer, or on a free one if another program has it. */

import { ContinuoError, isContinuoError } from "@continuo/core/model";
import { usersListening } from "@continuo/files";

export interface PortChoice {
  readonly port: number;
  /** True if nobody chose this port, so that any other port is as good. */
  readonly isDefault: boolean;
}

interface TakePortOptions<Listening> {
  readonly listen: (port: number) => Promise<Listening>;
  readonly warn: (line: string) => void;
  readonly users?: typeof usersListening;
  readonly own?: number | undefined;
}

/**
 * Listens on the wanted port. If nobody chose it, and a program of this user has it, listens on a free port. Errors:
 * `unavailable` for a chosen port that is taken, and for a port of another user's program, because an old bookmark
 * would lead to that program.
 */
export async function takePort<Listening>(
  { port, isDefault }: PortChoice,
  { listen, warn, users = usersListening, own = process.getuid?.() }: TakePortOptions<Listening>,
): Promise<Listening> {
  try {
    return await listen(port);
  } catch (error) {
    if (!isPortUsed(error)) throw error;
    const foreign = (await users(port))?.filter((user) => user !== own) ?? [];
    if (foreign.length > 0) throw usedByAnotherUser(port, foreign[0]);
    if (!isDefault) throw portUsed(port);
    warn(
      `warning: another program has port ${port}: bookmarks of the viewer lead there until it ends; using a free port`,
    );
    return await listen(0);
  }
}

function isPortUsed(error: unknown): boolean {
  const isRefused = isContinuoError(error, "unavailable");
  return isRefused && (error.cause as NodeJS.ErrnoException | undefined)?.code === "EADDRINUSE";
}

function usedByAnotherUser(port: number, user: number | undefined): ContinuoError {
  return new ContinuoError("unavailable", `port ${port} belongs to a program of another user (uid ${user})`, {
    hint: `Use another port with --port. What answers at http://127.0.0.1:${port} is not your viewer.`,
    details: { port, user },
  });
}

function portUsed(port: number): ContinuoError {
  return new ContinuoError("unavailable", `another program has port ${port}`, {
    hint: "Choose another port with --port, or leave it out.",
    details: { port },
  });
}
