/** The tool servers of the caller that an agent accepts. Pure. */

import type { OpenConversation, ToolServer } from "@continuo/core/model";

export type ToolServerKind = "stdio" | "http" | "sse";

export interface ServerSelection {
  readonly given: readonly ToolServer[];
  /** The names of the servers that the agent does not accept. */
  readonly leftOut: readonly string[];
}

/** Returns none with `safe`, because it is not known which of their tools only read. */
export function chooseServers(
  { toolServers = [], permissions }: Pick<OpenConversation, "toolServers" | "permissions">,
  kinds: readonly ToolServerKind[],
): ServerSelection {
  const isTaken = (server: ToolServer): boolean => permissions !== "safe" && kinds.includes(kindOf(server));
  return {
    given: toolServers.filter(isTaken),
    leftOut: toolServers.filter((server) => !isTaken(server)).map(({ name }) => name),
  };
}

function kindOf(server: ToolServer): ToolServerKind {
  return "url" in server ? server.type : "stdio";
}
