/** `continuo channel edit`, `delete` and `react`, as a person uses them on a server. */

import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { openServer } from "../server/harness/open-server.ts";
import { createHome } from "./home.ts";
import { runHere } from "./in-process.ts";

test("a message is edited, has reactions and is deleted, and everybody sees it", async () => {
  using home = createHome();
  await using store = await openStore("memory:");
  const server = await openServer(store);
  const channel = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runHere(home, ["channel", ...args, "--server", server.url]);
    expect([args[0], code, stderr.replace(/^(no participants|participants: .*)\n$/u, "")]).toEqual([
      args[0],
      0,
      "",
    ]);
    return stdout;
  };
  try {
    const { messageId } = JSON.parse(
      await channel("send", "team", "the train leaves at 9", "--as", "ann", "--json"),
    ) as { readonly messageId: string };
    await channel("edit", "team", messageId, "the train leaves at 10", "--as", "ann");
    await channel("react", "team", messageId, "👍", "--as", "bob");
    const [line = ""] = (await channel("show", "team", "--ids")).split("\n");
    expect(line).toMatch(/^\S+ {2}\S+ {2}ann \(edited\): the train leaves at 10 {2}\[👍 1\]$/u);
    expect(line.startsWith(messageId)).toBe(true);
    await channel("react", "team", messageId, "👍", "--as", "bob", "--remove");
    expect(await channel("show", "team")).toMatch(/ann \(edited\): the train leaves at 10\n$/u);
    const stranger = await runHere(home, [
      ...["channel", "edit", "team", messageId, "never", "--as", "bob", "--server", server.url],
    ]);
    expect([stranger.code, stranger.stderr]).toEqual([
      5,
      expect.stringContaining("bob did not write the message"),
    ]);
    await channel("delete", "team", messageId, "--as", "ann", "--reason", "wrong channel");
    expect(await channel("show", "team")).toMatch(/ann \(deleted\): \n$/u);
    const types = (await store.read("channels/team")).events.map(({ type }) => type);
    expect(types).toEqual([
      ...["message_sent", "message_edited", "reaction_added", "reaction_removed", "message_deleted"],
    ]);
  } finally {
    await server.close();
  }
});
