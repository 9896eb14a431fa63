/** A cost as people read it. Pure. */

import type { Cost } from "../../catalog/index.ts";

/** `$1.23`; of what costs less than a cent more digits; `?` where nothing is known, `≥ $1.23` where a part is. */
export function drawCost({ usd, unpriced }: Pick<Cost, "usd" | "unpriced">): string {
  if (usd === null) return unpriced.length > 0 ? "?" : "";
  const text = `$${usd.toFixed(usd > 0 && usd < 0.01 ? 4 : 2)}`;
  return unpriced.length > 0 ? `≥ ${text}` : text;
}
