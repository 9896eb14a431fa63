/**
 * Cleaning removes what ended long ago: expired logs and sessions, tokens, and codes of pages.
 *
 * Promises: only one server of a store cleans, about once an hour; nothing that anybody can still use is removed.
 * Does not know: the content of anything.
 */

import type { CreateMount } from "../context/index.ts";
import { createCleaner } from "./cleaner.ts";

/** The interval at which a server checks whether it is time to clean. */
const LOOK_MS = 600_000;

export const cleaning: CreateMount = ({ store, report }) => {
  const cleaner = createCleaner(store("default"), report);
  let work: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    work = cleaner.look().catch((error: unknown) => report(`cleaning failed: ${String(error)}`));
  }, LOOK_MS).unref();
  return {
    close: async () => {
      clearInterval(timer);
      await work;
    },
  };
};
