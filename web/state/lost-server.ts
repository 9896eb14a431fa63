/**
 * Detects within two seconds that the server has ended, and that it answers again. An open connection shows that the
 * server runs; without one, the page sends requests.
 */

import { access, isLost, whenDoubtful } from "./server.ts";

const LOOK_MS = 900;
/** A busy server may answer late, but a server that has ended refuses immediately. */
const ANSWER_MS = 4_000;

let openConnections = 0;

/** Counts a stream of the server until the returned function is called. */
export function countConnection(): () => void {
  openConnections += 1;
  return () => {
    openConnections -= 1;
    void look();
  };
}

export function watchServer(): void {
  whenDoubtful(() => void look());
  const next = async (): Promise<void> => {
    const isSure = openConnections > 0 && !isLost.value;
    if (!isSure && document.visibilityState === "visible" && access.value === "in") await look();
    setTimeout(() => void next(), LOOK_MS);
  };
  void next();
}

let looking: Promise<void> | null = null;

function look(): Promise<void> {
  looking ??= ask().finally(() => {
    looking = null;
  });
  return looking;
}

/** Any program may answer here: the next request verifies that it is the server. */
async function ask(): Promise<void> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  isLost.value = await fetch("/healthz", { signal, cache: "no-store" }).then(
    () => false,
    () => true,
  );
}
