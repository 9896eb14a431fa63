/**
 * The page at `/`: the built viewer and its files, which need no token; the requests that the viewer sends need one.
 *
 * Promises: only the files of the build are served, by their names; the page runs only its own scripts, and no other
 * page can show it in a frame.
 * Does not know: the content of the files, except for the place in the page where the theme is written.
 */

import { ContinuoError } from "@continuo/core/model";
import type { CreateMount } from "../context/index.ts";
import { encodingFor } from "../http/index.ts";
import { createPageFiles, type PageFile } from "./files.ts";

export { createPreferences } from "./preferences.ts";

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types continuo",
].join("; ");

export const page: CreateMount = (context) => ({
  publicRoutes: (app) => {
    const { pageFolder, preferences, pagesOf, pageName } = context;
    if (pageFolder === undefined) return;
    const files = createPageFiles(pageFolder);
    app.get("/", (c) => {
      const file = files.page({
        preferences: preferences?.read(),
        pagesOf,
        isLasting: pageName === undefined,
      });
      if (file === null) throw notBuilt();
      return answer(file, c.req.raw.headers, {
        "content-security-policy": POLICY,
        "x-frame-options": "DENY",
        "cross-origin-opener-policy": "same-origin",
        "cache-control": "no-cache",
      });
    });
    // Browsers request this file on their own.
    app.get("/favicon.ico", () => new Response(null, { status: 204 }));
    app.get("/assets/:name", (c) => {
      const file = files.asset(c.req.param("name"));
      if (file === null) throw new ContinuoError("not_found", "there is no resource at this path");
      // The name changes with the content, so browsers can keep the file. The policy is needed here too: a worker takes
      // the policy of its script file, not of the page.
      return answer(file, c.req.raw.headers, {
        "content-security-policy": POLICY,
        "cache-control": "public, max-age=31536000, immutable",
      });
    });
  },
});

async function answer(
  file: PageFile,
  asked: Headers,
  given: Readonly<Record<string, string>>,
): Promise<Response> {
  const encoding = encodingFor(asked.get("accept-encoding"));
  // Each encoding of the file has a separate tag.
  const etag = encoding === null ? file.etag : file.etag.replace(/"$/u, `-${encoding}"`);
  const headers = { ...given, etag, vary: "accept-encoding" };
  if (asked.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
  const typed = { ...headers, "content-type": file.type };
  if (encoding === null) return new Response(file.bytes, { headers: typed });
  const bytes = await file.encoded(encoding);
  return new Response(bytes, { headers: { ...typed, "content-encoding": encoding } });
}

function notBuilt(): ContinuoError {
  return new ContinuoError("not_found", "the viewer is not built", {
    hint: "Run `npm run prepare` in the folder of the package.",
  });
}
