/** The present time, for values that are shown with their age. */

import { useEffect, useState } from "preact/hooks";
import { LIMITS } from "../limits.ts";

/** Draws the component again every second. */
export function useNow(): number {
  const [nowMs, setNowMs] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), LIMITS.positionMs);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
