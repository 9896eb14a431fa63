/** The sub-agents of a session, opened one at a time. */

import { type CatalogSession, locateRow, openCatalogSession } from "@continuo/agents/catalog";
import { isContinuoError, type SubagentInfo } from "@continuo/core/model";
import type { Shell } from "../../terminal/index.ts";

export interface Subagents {
  /** `null` if it is gone, or cannot be read. */
  open(info: SubagentInfo): Promise<(CatalogSession & Disposable) | null>;
  /** The description of the sub-agent. */
  tell(info: SubagentInfo): Pick<SubagentInfo, "id" | "type" | "description">;
}

export function openSubagents({ details }: CatalogSession, shell: Shell): Subagents {
  return {
    async open({ id, location }) {
      try {
        const row = { ...details, sessionId: id, location };
        return await openCatalogSession(await locateRow(row, shell), shell);
      } catch (error) {
        if (!isContinuoError(error)) throw error;
        return null;
      }
    },
    tell: (info) => info,
  };
}
