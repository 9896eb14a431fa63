import { expect, test } from "vitest";
import { openChat } from "./page.ts";

test("the module of a page finds the server that sent it by its own URL, unless the page names another one", async () => {
  const folder = new URL("..", import.meta.url).href;
  await expect(openChat({ session: "s" })).rejects.toThrow(`${folder} is not the URL of a server`);
  const other = openChat({ serverUrl: "https://example.com", session: "" });
  await expect(other).rejects.toThrow("no session is given");
});
