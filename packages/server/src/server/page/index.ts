/**
 * The page at `/`: the built viewer and its files, which need no token; the requests that the viewer sends need one.
 * One of the files is the client module for the pages of other programs.
 *
 * Promises: only the files of the build are served, by their names; the page runs only its own scripts, and no other
 * page can show it in a frame.
 * Does not know: the content of the files, except for the place in the page where the theme is written.
 */

import { createHash } from "node:crypto";
import { ContinuoError } from "@continuo/core/model";
import { packageFile } from "@continuo/files";
import type { CreateMount } from "../context/index.ts";
import { encodingFor } from "../http/index.ts";
import { createPageFiles, type PageFile, type PageFiles } from "./files.ts";

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

/** The name of the file changes with its content, so browsers can keep it. */
const FOR_EVER = "public, max-age=31536000, immutable";

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
      // The policy is needed here too: a worker takes the policy of its script file, not of the page.
      return answer(file, c.req.raw.headers, {
        "content-security-policy": POLICY,
        "cache-control": FOR_EVER,
      });
    });
  },
});

/**
 * `/v1/client.js`: the module for pages without a build step. It is one line, which loads the module by a name that
 * changes with its content. A server of another version may get the request for that name, and sends its own module.
 */
export const clientModule: CreateMount = ({ pageFolder = packageFile(PAGES) ?? PAGES }) => ({
  publicRoutes: (app) => {
    const files = createPageFiles(pageFolder);
    app.get("/v1/client.js", (c) => {
      const line = `export * from "./${clientName(files)}";\n`;
      const etag = `"${createHash("sha256").update(line).digest("base64url")}"`;
      const headers = { etag, "cache-control": "no-cache", "content-type": "text/javascript; charset=utf-8" };
      if (c.req.header("if-none-match") === etag) return new Response(null, { status: 304, headers });
      return new Response(line, { headers });
    });
    app.get("/v1/:file{client-[\\w-]+\\.js}", (c) => {
      const name = clientName(files);
      const file = files.asset(name);
      if (file === null) throw notBuilt();
      const isThisOne = c.req.param("file") === name;
      return answer(file, c.req.raw.headers, { "cache-control": isThisOne ? FOR_EVER : "no-cache" });
    });
  },
});

/** The folder of the built viewer in the package. */
const PAGES = "dist/web";

/** Errors: `not_found`. */
function clientName(files: PageFiles): string {
  const name = files.client();
  if (name === null) throw notBuilt();
  return name;
}

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
