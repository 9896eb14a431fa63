/** Tool servers of the caller, chosen by what an agent takes. Pure. */

import type { OpenConversation, ToolServer } from "@continuo/core/model";

export type ToolServerKind = "stdio" | "http" | "sse";

export interface ChosenServers {
  readonly given: readonly ToolServer[];
  /** Names of the others. */
  readonly leftOut: readonly string[];
}

/** With `safe` none: nobody tells which of its tools only read. */
export function chooseServers(
  { toolServers = [], permissions }: Pick<OpenConversation, "toolServers" | "permissions">,
  kinds: readonly ToolServerKind[],
): ChosenServers {
  const isTaken = (server: ToolServer): boolean => permissions !== "safe" && kinds.includes(kindOf(server));
  return {
    given: toolServers.filter(isTaken),
    leftOut: toolServers.filter((server) => !isTaken(server)).map(({ name }) => name),
  };
}

function kindOf(server: ToolServer): ToolServerKind {
  return "url" in server ? server.type : "stdio";
}
