/** Every page of the viewer has a button to sign out, at every width; after a sign-out no content is left. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { CLAUDE_ID } from "../cli/home.ts";
import { sessionAddress } from "./long-session.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";

let viewer: OpenViewer;
beforeAll(async () => {
  viewer = await openViewer();
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

const PLACES = ["/", "/health", "/channels", "/live", sessionAddress(CLAUDE_ID)];

test.each([360, 1280])("every page shows a sign-out button at a width of %s px", async (width) => {
  const { page, errors } = await viewer.open("/", { width });
  for (const place of PLACES) {
    await page.evaluate(`location.hash = ${JSON.stringify(`#${place}`)}`);
    const box = await page.getByRole("button", { name: "Sign out" }).boundingBox();
    expect([place, box !== null && box.x >= 0 && box.x + box.width <= width]).toEqual([place, true]);
  }
  expect(errors).toEqual([]);
  await page.context().close();
});

test("after a sign-out the page shows and stores nothing, and its secret is no longer valid", async () => {
  const { page } = await viewer.open("/");
  await page.locator(".row").first().waitFor();
  const pass = (): Promise<string | null> => page.evaluate("sessionStorage.getItem('continuo-pass')");
  const { secret } = JSON.parse((await pass()) ?? "null") as { readonly secret: string };
  const status = async (): Promise<number> =>
    (await viewer.machine.get("/v1/machine/sessions", secret)).status;
  expect(await status()).toBe(200);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Open this page again" }).waitFor();
  expect(await page.locator(".row").count()).toBe(0);
  expect(await page.getByRole("button", { name: "Sign out" }).count()).toBe(0);
  expect(await pass()).toBe("null");
  await expect.poll(status).toBe(401);
  await page.reload();
  await page.getByRole("heading", { name: "Open this page again" }).waitFor();
  await page.context().close();
});
