/** The time of the clock, for what is shown with its age. */

import { useEffect, useState } from "preact/hooks";
import { LIMITS } from "../limits.ts";

/** Draws the component again each second. */
export function useNow(): number {
  const [nowMs, setNowMs] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), LIMITS.positionMs);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
