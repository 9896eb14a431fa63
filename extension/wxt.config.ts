/** The build of the extension: `npm run extension` writes `dist/chrome-mv3` and `dist/firefox-mv3`. */

import { defineConfig } from "wxt";
import continuo from "../package.json" with { type: "json" };

/**
 * The public half of a key pair; the private half was deleted. This half defines the id of the extension when the
 * extension is loaded unpacked.
 */
const KEY =
  "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAkQ7bUYNT8r2YCBrpyphvIldbUpMXgxSZghWwjjre3lM9MXvRQnpHm8aPYmR+J4o3" +
  "Ryq6X+DKYwPdDok9z+FDAsT38HJP9CM0/MLs+6Tg6tgNO9CjucDmywmwFTg6qXiEjXH7VoaQfyqCaSMhWFOJ7AhYtVSWIcck7Qofub7MKnIW" +
  "MyFrpA50uWiw3kOsPiZKeSJ6xZzaVm0EHPN3NgRV4PhhgT+yO7b1vNrgl9lT+CtvWX3Cxjk36UrHR7OdyTJwbdNzEamJ5S5BwdwijdLAKTQn" +
  "O0r5LMH/pBFQ+8/siqMPPZc+PVbeFDamiV8g1GUYB/koh9b9ndvRN5dHU+4xuQIDAQAB";

const EVERY_SITE = ["http://*/*", "https://*/*", "file:///*"];

/** The files of the program that reads text in pictures (OCR). No site and no server can replace them. */
const TEXT_READER = [
  "tesseract.js-core/tesseract-core-simd-lstm.js",
  "tesseract.js-core/tesseract-core-simd-lstm.wasm",
  "tesseract.js-core/LICENSE",
  "@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz",
];

/** A page of the extension may load and run only files of the extension; in Chromium, these can also be WebAssembly. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src blob:; connect-src http: https: ws: wss:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const CHROMIUM_POLICY = `${POLICY}; frame-src 'self'`
  .replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'")
  .replace("connect-src", "connect-src 'self'");

/**
 * Code from the person's server runs in a page without an origin, and reaches nothing: no address, no file, no other
 * page. It makes its workers and modules from texts that it receives.
 */
const SEALED_POLICY =
  "sandbox allow-scripts; default-src 'none'; script-src 'self' blob: 'wasm-unsafe-eval'; worker-src blob:; connect-src blob:";

export default defineConfig({
  outDir: process.env.CONTINUO_EXTENSION_OUT ?? "dist",
  imports: false,
  dev: { server: { port: 0 } },
  hooks: {
    "build:publicAssets": ({ config }, files) => {
      if (config.browser === "firefox") return;
      for (const path of TEXT_READER) {
        const absoluteSrc = `${config.root}/node_modules/${path}`;
        files.push({ absoluteSrc, relativeDest: `text/${path.split("/").at(-1)}` });
      }
    },
  },
  manifest: ({ browser }) => ({
    name: "Continuo",
    description: "Notes from what you watch and say, in a session that survives reloads.",
    version: continuo.version,
    // `activeTab` gives the address of the page on which the person presses the extension's button.
    permissions: [
      "activeTab",
      "alarms",
      "scripting",
      "storage",
      ...(browser === "firefox" ? [] : ["offscreen", "sidePanel"]),
    ],
    optional_host_permissions: EVERY_SITE,
    // Needed only for the sound of a tab, if the person switches that source on.
    ...(browser === "firefox" ? {} : { optional_permissions: ["tabCapture"] }),
    ...(browser === "firefox" ? {} : { sandbox: { pages: ["whisper.html"] } }),
    content_security_policy:
      browser === "firefox"
        ? { extension_pages: POLICY }
        : { extension_pages: CHROMIUM_POLICY, sandbox: SEALED_POLICY },
    action: { default_title: "Continuo" },
    ...(browser === "firefox"
      ? {
          browser_specific_settings: {
            gecko: {
              id: "extension@continuo.example",
              strict_min_version: "142.0",
              // These data are sent only to the server of the person.
              data_collection_permissions: { required: ["websiteContent", "browsingActivity"] },
            },
          },
        }
      : { key: KEY, minimum_chrome_version: "120" }),
  }),
});
