/** An editor in front of `continuo acp`, on the stage of a real agent. */

import {
  type ClientContext,
  client,
  ndJsonStream,
  type SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import type { Stage } from "../chat/stage.ts";

export interface Editor extends AsyncDisposable {
  readonly agent: ClientContext;
  readonly updates: SessionUpdate[];
}

export async function openEditor(on: Stage): Promise<Editor> {
  const program = on.start(["acp"]);
  const encoder = new TextEncoder();
  const output = new WritableStream<Uint8Array>({
    write: (bytes) => program.send(new TextDecoder().decode(bytes).trimEnd()),
  });
  const input = new ReadableStream<Uint8Array>({
    async start(controller) {
      for await (const line of program.lines) controller.enqueue(encoder.encode(`${line}\n`));
      controller.close();
    },
  });
  const updates: SessionUpdate[] = [];
  const { agent } = client({ name: "editor" })
    .onNotification("session/update", ({ params }) => void updates.push(params.update))
    .connect(ndJsonStream(output, input));
  await agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  return { agent, updates, [Symbol.asyncDispose]: async () => void (await program.end()) };
}

/** The text of the agent's messages. */
export function spokenIn(updates: readonly SessionUpdate[]): string {
  return updates
    .map((update) =>
      update.sessionUpdate === "agent_message_chunk" && update.content.type === "text"
        ? update.content.text
        : "",
    )
    .join("");
}
